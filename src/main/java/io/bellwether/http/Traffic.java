package io.bellwether.http;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * The requests under way: counted, answered, and waited for when the process stops. Thread safe.
 *
 * <p>Jetty's own graceful handler was rejected: from the moment of the stop it answers 503 to whatever still arrives on
 * connections that the proxy keeps open (jetty#2749), which a client sees as a failed request. Here such a request is
 * answered as ever, with {@code Connection: close}.
 */
final class Traffic implements Draining {
    private static final Logger log = LoggerFactory.getLogger(Traffic.class);

    private final AtomicInteger underWay = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final List<Runnable> drainListeners = new CopyOnWriteArrayList<>();
    private volatile boolean draining;

    /**
     * Counts requests from their first byte of header to the last byte of their answer, and takes the length of 0 back that
     * every layer gives to an answer without a body: of 204 and 304 it would be said of a body that is somewhere else
     * (RFC 9110, sections 8.6 and 15.4.5).
     */
    Handler.Wrapper counter() {
        return new Handler.Wrapper() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                underWay.incrementAndGet();
                request.addHttpStreamWrapper(stream -> new Counted(stream, response));
                return super.handle(request, response, callback);
            }
        };
    }

    private final class Counted extends HttpStream.Wrapper {
        private final Response response;

        Counted(HttpStream stream, Response response) {
            super(stream);
            this.response = response;
        }

        @Override
        public void prepareResponse(HttpFields.Mutable fields) {
            int status = response.getStatus();
            if (status == HttpStatus.NO_CONTENT_204 || status == HttpStatus.NOT_MODIFIED_304) {
                fields.remove(HttpHeader.CONTENT_LENGTH);
            }
            super.prepareResponse(fields);
        }

        @Override
        public void succeeded() {
            ended(super::succeeded);
        }

        @Override
        public void failed(Throwable why) {
            ended(() -> super.failed(why));
        }
    }

    /** Requests that have no complete answer yet, waiting ones included. */
    int underWay() {
        return underWay.get();
    }

    @Override
    public boolean isDraining() {
        return draining;
    }

    @Override
    public void onDrain(Runnable listener) {
        drainListeners.add(listener);
        if (draining) {
            listener.run();
        }
    }

    /** From now on every answer closes its connection, and what waits is told. */
    void drain() {
        draining = true;
        drainListeners.forEach(Runnable::run);
    }

    /**
     * Waits until no request has been under way for {@code quiet}.
     *
     * @return whether that came to pass within {@code limit}
     */
    boolean awaitQuiet(Duration quiet, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        long quietSince = System.nanoTime();
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                if (underWay.get() > 0) {
                    quietSince = now;
                } else if (now - quietSince >= quiet.toNanos()) {
                    return true;
                }
                if (now >= end) {
                    return underWay.get() == 0;
                }
                // A request that comes and goes between two looks ended the quiet too; looking each few
                // milliseconds is near enough, since each such answer closes its connection.
                idle.await(Math.min(end - now, TimeUnit.MILLISECONDS.toNanos(5)), TimeUnit.NANOSECONDS);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@code endpoint} answer; what it throws becomes a problem, or the end of the connection. */
    void answer(Exchange exchange, Endpoint endpoint) {
        try {
            endpoint.handle(exchange);
        } catch (Throwable thrown) {
            fail(exchange, thrown);
        }
    }

    /** Answers with the problem, or cuts an answer that is under way, so that nobody takes it for whole. */
    void fail(Exchange exchange, Throwable thrown) {
        Fault fault = Problem.faultOf(thrown);
        if (exchange.isCommitted()) {
            log.debug("an answer was cut short: {}", thrown.toString(), thrown);
            exchange.abort();
            return;
        }
        if (fault.kind().deservesWarning()) {
            if (fault.kind() == FaultKind.INTERNAL) {
                log.warn("{}: {} ({})", exchange, fault.detail(), thrown.toString(), thrown);
            } else {
                // What is away or slow is away or slow; where in the code that was noticed helps nobody.
                log.warn("{}: {} ({})", exchange, fault.detail(), thrown.toString());
            }
        } else {
            log.debug("{}: {}", exchange, fault.detail());
        }
        try {
            Problem.write(exchange, fault);
        } catch (IOException e) {
            log.debug("the client went away before its problem was told", e);
        }
    }

    private void ended(Runnable end) {
        try {
            end.run();
        } finally {
            ended();
        }
    }

    private void ended() {
        if (underWay.decrementAndGet() == 0 && draining) {
            lock.lock();
            try {
                idle.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
