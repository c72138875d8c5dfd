package io.bellwether.source;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The body of an answer as a stream that can be waited for with a limit, which the JDK's own cannot. At most two portions
 * of the client's (16 KiB buffers) are held; the rest waits in the socket. Read by one thread, fed by the client's.
 */
final class HttpBody extends BlockInput implements HttpResponse.BodySubscriber<HttpBody> {
    private sealed interface Portion {}

    private record Bytes(List<ByteBuffer> buffers) implements Portion {}

    private record End(@Nullable Throwable failure) implements Portion {}

    private final BlockingQueue<Portion> arrived = new LinkedBlockingQueue<>();
    private final CompletableFuture<HttpBody> ready = CompletableFuture.completedFuture(this);
    private final CompletableFuture<Flow.Subscription> source = new CompletableFuture<>();
    private final Deadline deadline;
    private final long expected;
    private Duration stall;
    private List<ByteBuffer> present = List.of();
    private int nextBuffer;
    private long count;
    private boolean ended;

    /**
     * A body to come.
     *
     * @param expected the value of Content-Length, or below 0
     */
    HttpBody(long expected, Duration stall, Deadline deadline) {
        this.expected = expected;
        this.stall = stall;
        this.deadline = deadline;
    }

    /** Waits for each further byte so long and no longer. */
    void hurry(Duration limit) {
        stall = limit;
    }

    @Override
    public CompletionStage<HttpBody> getBody() {
        return ready;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (source.complete(subscription)) {
            subscription.request(2);
        } else {
            subscription.cancel();
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        arrived.add(new Bytes(buffers));
    }

    @Override
    public void onError(Throwable failure) {
        arrived.add(new End(failure));
    }

    @Override
    public void onComplete() {
        arrived.add(new End(null));
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws FeedException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            while (nextBuffer < present.size()) {
                ByteBuffer buffer = present.get(nextBuffer);
                int some = Math.min(length, buffer.remaining());
                if (some > 0) {
                    buffer.get(bytes, offset, some);
                    count += some;
                    return some;
                }
                nextBuffer++;
            }
            switch (await()) {
                case Bytes(List<ByteBuffer> buffers) -> {
                    present = buffers;
                    nextBuffer = 0;
                    source.join().request(1);
                }
                case End(@Nullable Throwable failure) -> {
                    ended = true;
                    checkWhole(failure);
                }
            }
        }
        return -1;
    }

    private Portion await() throws FeedException {
        try {
            deadline.check();
            Portion portion = arrived.poll(deadline.nanos(stall), TimeUnit.NANOSECONDS);
            if (portion == null) {
                throw deadline.passed(stall, "the upstream sent no further byte");
            }
            return portion;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FeedException(FeedProblem.STOPPED, "reading the feed was stopped", e);
        }
    }

    private void checkWhole(@Nullable Throwable failure) throws FeedException {
        if (failure != null || expected >= 0 && count != expected) {
            String of = expected >= 0 ? " of " + expected : "";
            throw new FeedException(FeedProblem.BROKEN_OFF,
                    "the connection ended after " + count + of + " bytes of the feed", failure);
        }
    }

    /** Ends the transfer; what has not arrived is never read. */
    @Override
    public void close() {
        ended = true;
        present = List.of();
        var _ = source.thenAccept(Flow.Subscription::cancel);
    }
}
