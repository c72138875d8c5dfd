package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.bellwether.loadtest.bench.BenchmarkException;

/**
 * Clients that fetch the same bytes at once, over a connection each, and throw them away: one thread per processor serves
 * all of them. Each answer must be 200 and of the length that was expected, or it all fails.
 */
final class Downloads implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int LARGEST_HEAD = 8192;
    private static final long SILENCE_MILLIS = 30_000;

    private final InetSocketAddress address;
    private final byte[] request;
    private final long expected;
    private final boolean again;
    private final List<Worker> workers = new ArrayList<>();
    private final long begun;
    private volatile boolean stopped;

    /**
     * What came of it.
     *
     * @param seconds from the first request to the last byte of the last client
     * @param bytes of all bodies
     * @param bytesPerSecond the one by the other
     * @param wholes how many were fetched to their end
     * @param firstByteMillis of the slowest client
     * @param medianSeconds of all that were fetched whole
     */
    record Result(double seconds, long bytes, double bytesPerSecond, int wholes, double firstByteMillis,
            double medianSeconds) {}

    private Downloads(int port, byte[] request, int clients, long expected, boolean again) throws IOException {
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.request = request;
        this.expected = expected;
        this.again = again;
        int threads = Math.min(clients, Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < threads; i++) {
            workers.add(new Worker(clients / threads + (i < clients % threads ? 1 : 0), "client-" + i));
        }
        begun = System.nanoTime();
        workers.forEach(Thread::start);
    }

    /**
     * Has each client fetch it once.
     *
     * @param expected how many bytes the body has
     */
    static Result once(int port, byte[] request, int clients, long expected, Duration limit)
            throws IOException, InterruptedException {
        try (Downloads downloads = new Downloads(port, request, clients, expected, false)) {
            return downloads.result(limit);
        }
    }

    /** Has each client fetch it again and again, until {@link #stop}. */
    static Downloads again(int port, byte[] request, int clients, long expected) throws IOException {
        return new Downloads(port, request, clients, expected, true);
    }

    /** Ends it where it is, and tells what came. */
    Result stop() throws InterruptedException {
        stopped = true;
        return result(Duration.ofMillis(2 * SILENCE_MILLIS));
    }

    private Result result(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (Worker worker : workers) {
            worker.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            if (worker.isAlive()) {
                throw new BenchmarkException("downloads took longer than " + limit);
            }
            if (worker.failure != null) {
                throw new BenchmarkException("a download failed: " + worker.failure.getMessage(), worker.failure);
            }
        }
        long last = workers.stream().mapToLong(worker -> worker.ended).max().orElse(begun);
        long bytes = workers.stream().mapToLong(worker -> worker.bytes).sum();
        double[] took = workers.stream().flatMap(worker -> worker.took.stream()).mapToDouble(nanos -> nanos / 1e9)
                .sorted().toArray();
        double seconds = (double) (last - begun) / 1e9;
        return new Result(seconds, bytes, (double) bytes / seconds, took.length,
                workers.stream().mapToLong(worker -> worker.slowestFirst).max().orElse(0) / 1e6,
                took.length == 0 ? 0 : took[took.length / 2]);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Worker worker : workers) {
            worker.join(2 * SILENCE_MILLIS);
        }
    }

    /** One client's answer under way. */
    private static final class Client {
        private final byte[] head = new byte[LARGEST_HEAD];
        private int headBytes;
        private boolean inBody;
        private long left;
        private long begun;
    }

    /** A thread with some of the clients. */
    private final class Worker extends Thread {
        private final int clients;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private final List<Long> took = new ArrayList<>();
        private long bytes;
        private long slowestFirst;
        private long ended;
        private int open;
        private Exception failure;

        Worker(int clients, String name) {
            super(name);
            setDaemon(true);
            this.clients = clients;
        }

        @Override
        public void run() {
            try (Selector selector = Selector.open()) {
                try {
                    for (int i = 0; i < clients; i++) {
                        begin(selector);
                    }
                    while (open > 0 && !stopped) {
                        if (selector.select(key -> readable(selector, key), SILENCE_MILLIS) == 0) {
                            throw new IOException("nothing came for " + SILENCE_MILLIS + " ms");
                        }
                    }
                } finally {
                    ended = System.nanoTime();
                    for (SelectionKey key : selector.keys()) {
                        key.channel().close();
                    }
                }
            } catch (IOException | RuntimeException e) {
                failure = e;
            }
        }

        private void begin(Selector selector) throws IOException {
            SocketChannel channel = SocketChannel.open(address);
            Client client = new Client();
            client.begun = System.nanoTime();
            channel.write(ByteBuffer.wrap(request));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, client);
            open++;
        }

        private void readable(Selector selector, SelectionKey key) {
            Client client = (Client) key.attachment();
            try {
                buffer.clear();
                int count = ((SocketChannel) key.channel()).read(buffer);
                if (count < 0) {
                    throw new IOException("it was cut, with " + client.left + " bytes missing");
                }
                long body = client.inBody ? count : headRead(client, count);
                bytes += body;
                client.left -= body;
                if (client.inBody && client.left == 0) {
                    took.add(System.nanoTime() - client.begun);
                    key.channel().close();
                    open--;
                    if (again && !stopped) {
                        begin(selector);
                    }
                }
            } catch (IOException e) {
                throw new BenchmarkException(e.getMessage(), e);
            }
        }

        /** Reads the header; returns how many bytes of the body came with its end. */
        private long headRead(Client client, int count) throws IOException {
            buffer.flip();
            for (int i = 0; i < count; i++) {
                if (client.headBytes == LARGEST_HEAD) {
                    throw new IOException("an answer's header is longer than " + LARGEST_HEAD + " bytes");
                }
                client.head[client.headBytes++] = buffer.get();
                if (client.head[client.headBytes - 1] == '\n' && client.headBytes >= 4
                        && client.head[client.headBytes - 3] == '\n') {
                    slowestFirst = Math.max(slowestFirst, System.nanoTime() - client.begun);
                    RawHttp.Head head = RawHttp.Head.parse(new String(
                            Arrays.copyOf(client.head, client.headBytes), StandardCharsets.ISO_8859_1));
                    long length = head.field("Content-Length").map(Long::parseLong).orElse(-1L);
                    if (head.status() != 200 || length != expected) {
                        throw new IOException("status " + head.status() + ", length " + length + " instead of "
                                + expected + ": " + head.fields());
                    }
                    client.inBody = true;
                    client.left = length;
                    return count - i - 1L;
                }
            }
            return 0;
        }
    }
}
