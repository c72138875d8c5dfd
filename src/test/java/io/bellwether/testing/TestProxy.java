package io.bellwether.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy on 127.0.0.1 that can be cut (connections end, new ones too) or stalled: nothing passes, or nothing in one
 * direction. What is stalled passes later, or never when the proxy is cut. Thread safe.
 */
public final class TestProxy implements AutoCloseable {
    private enum Mode {
        PASS, CUT, STALL, STALL_REQUESTS, STALL_ANSWERS
    }

    /** Where a connection goes; asked at each, as what it goes to may start later than the proxy. */
    @FunctionalInterface
    public interface Target {
        /** A port on 127.0.0.1. */
        int port() throws IOException;
    }

    private final Target target;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile Mode mode = Mode.PASS;
    private final AtomicLong accepted = new AtomicLong();
    private volatile boolean closed;

    /** A proxy to that port, which passes everything. */
    public TestProxy(int targetPort) throws IOException {
        this(() -> targetPort);
    }

    /** A proxy that passes everything. */
    public TestProxy(Target target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().name("proxy-" + port()).daemon(true).start(this::accept);
    }

    /** How many connections clients have made so far. */
    public long accepted() {
        return accepted.get();
    }

    /** Where it listens. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Ends all connections, and new ones at once. It goes on listening, so that nobody else gets its port. */
    public void cut() {
        set(Mode.CUT);
        closeAll();
    }

    /** Lets nothing pass in either direction; new connections are accepted and hang. */
    public void stall() {
        set(Mode.STALL);
    }

    /** Lets nothing pass from the client, while what the target sends still arrives. */
    public void stallRequests() {
        set(Mode.STALL_REQUESTS);
    }

    /** Lets everything pass to the target, and nothing back. */
    public void stallAnswers() {
        set(Mode.STALL_ANSWERS);
    }

    /** Passes everything again. */
    public void pass() {
        set(Mode.PASS);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        cut();
    }

    private void set(Mode next) {
        lock.lock();
        try {
            mode = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!closed) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                // Closed, or a client that was gone already.
                if (closed) {
                    return;
                }
            }
        }
    }

    private void connect(Socket client) {
        open.add(client);
        accepted.incrementAndGet();
        if (mode == Mode.CUT) {
            close(client);
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target.port());
            open.add(server);
            Thread.ofVirtual().start(() -> pump(client, server, Mode.STALL_REQUESTS));
            Thread.ofVirtual().start(() -> pump(server, client, Mode.STALL_ANSWERS));
        } catch (IOException e) {
            // The target is away: the client sees its connection end.
            close(client);
        }
        if (mode == Mode.CUT) {
            closeAll();
        }
    }

    private void pump(Socket from, Socket to, Mode stalled) {
        byte[] buffer = new byte[16 << 10];
        try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                awaitPassing(stalled);
                out.write(buffer, 0, count);
            }
        } catch (IOException | InterruptedException e) {
            // One side went away; the other follows.
            close(from);
        } finally {
            open.remove(from);
            close(from);
            close(to);
        }
    }

    private void awaitPassing(Mode stalled) throws InterruptedException, IOException {
        lock.lock();
        try {
            while ((mode == Mode.STALL || mode == stalled) && !closed) {
                changed.await();
            }
            if (mode == Mode.CUT) {
                throw new IOException("cut");
            }
        } finally {
            lock.unlock();
        }
    }

    private void closeAll() {
        open.forEach(TestProxy::close);
        open.clear();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed is closed.
            return;
        }
    }
}
