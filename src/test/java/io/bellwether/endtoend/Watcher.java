package io.bellwether.endtoend;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A client that polls the head and the changes of a set through nginx all along, and notes whatever it should never see. */
final class Watcher implements AutoCloseable {
    private static final long PAUSE_NANOS = 20_000_000;

    private final Api api;
    private final String set;
    private final List<String> complaints = new ArrayList<>();
    private final Thread thread;
    private volatile boolean stopping;
    private final AtomicLong answers = new AtomicLong();

    Watcher(Api api, String set) {
        this.api = api;
        this.set = set;
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
                complain("no answer: " + e);
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
        if (status != 200 && status != 304) {
            return seen;
        }
        long revision = answer.headers().firstValueAsLong("Bellwether-Revision").orElse(-1);
        if (revision < seen) {
            complain("the revision fell from " + seen + " to " + revision + " at "
                    + answer.headers().firstValue("Bellwether-Process").orElse("?"));
        }
        return Math.max(seen, revision);
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
