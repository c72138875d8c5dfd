package io.bellwether.endtoend;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that polls the head and the changes of a set through nginx all along, and notes whatever it should never see. An
 * answer 503 with Retry-After is counted and no complaint, and so is a revision that falls in an answer marked stale: whoever
 * explains none asserts that there was none.
 */
final class Watcher implements AutoCloseable {
    private static final long PAUSE_NANOS = 20_000_000;

    private final Api api;
    private final String set;
    private final boolean cutsExplained;
    private final List<String> complaints = new ArrayList<>();
    private final Thread thread;
    private volatile boolean stopping;
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong stale = new AtomicLong();
    private final AtomicLong fellStale = new AtomicLong();
    private final AtomicLong retried = new AtomicLong();
    private final AtomicLong cut = new AtomicLong();
    private volatile long goodNanos = System.nanoTime();
    private volatile Duration silence = Duration.ZERO;

    Watcher(Api api, String set) {
        this(api, set, false);
    }

    /**
     * Watches from now on.
     *
     * @param cutsExplained whether processes are killed, so that an answer may end in its middle
     */
    Watcher(Api api, String set, boolean cutsExplained) {
        this.api = api;
        this.set = set;
        this.cutsExplained = cutsExplained;
        this.thread = Thread.ofPlatform().start(this::watch);
    }

    private void watch() {
        long seen = 0;
        while (!stopping) {
            LockSupport.parkNanos(PAUSE_NANOS);
            try {
                seen = check(api.get("/v1/sets/" + set), seen);
                seen = check(api.get("/v1/sets/" + set + "/changes?since=" + seen), seen);
            } catch (IOException e) {
                cut.incrementAndGet();
                if (!cutsExplained) {
                    complain("no answer: " + e);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private long check(HttpResponse<byte[]> answer, long seen) {
        answers.incrementAndGet();
        int status = answer.statusCode();
        boolean retried = status == 503 && answer.headers().firstValue("Retry-After").isPresent();
        boolean unpublished = status == 404 && seen == 0;
        if (status != 200 && status != 304 && !retried && !unpublished) {
            complain("status " + status + ": " + new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8));
        }
        if (retried) {
            this.retried.incrementAndGet();
        }
        if (status != 200 && status != 304) {
            return seen;
        }
        good();
        boolean fromMemory = answer.headers().firstValue("Bellwether-Stale").isPresent();
        if (fromMemory) {
            stale.incrementAndGet();
        }
        long revision = answer.headers().firstValueAsLong("Bellwether-Revision").orElse(-1);
        if (revision < seen && fromMemory) {
            fellStale.incrementAndGet();
        } else if (revision < seen) {
            complain("the revision fell from " + seen + " to " + revision + " at "
                    + answer.headers().firstValue("Bellwether-Process").orElse("?"));
        }
        return Math.max(seen, revision);
    }

    private void good() {
        long now = System.nanoTime();
        Duration since = Duration.ofNanos(now - goodNanos);
        if (since.compareTo(silence) > 0) {
            silence = since;
        }
        goodNanos = now;
    }

    private synchronized void complain(String what) {
        if (complaints.size() < 20) {
            complaints.add(what);
        }
    }

    /** What it should never have seen. */
    synchronized List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** How many answers it had. */
    long answers() {
        return answers.get();
    }

    /** How many were 503 with Retry-After. */
    long retried() {
        return retried.get();
    }

    /** How many answers ended in their middle, or never came. */
    long cut() {
        return cut.get();
    }

    /** How often the revision fell in an answer marked stale. */
    long fellStale() {
        return fellStale.get();
    }

    /** All numbers in one line. */
    @Override
    public String toString() {
        return "answers=" + answers + " stale=" + stale + " fell while stale=" + fellStale + " retried=" + retried
                + " cut=" + cut
                + " longest without an answer " + silence.toMillis() + " ms";
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
