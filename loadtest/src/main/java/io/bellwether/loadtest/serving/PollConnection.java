package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A connection that stays, over which one and the same request for a 304 goes again and again. For one thread. */
final class PollConnection {
    /** Below nginx's {@code keepalive_requests}, so that it is never nginx who closes. */
    private static final int MOST_REQUESTS = 5_000;
    private static final int LARGEST_HEAD = 4096;
    private static final byte[] STATUS = "304".getBytes(StandardCharsets.US_ASCII);
    private static final int STATUS_AT = 9;

    private final SocketChannel channel;
    private final ByteBuffer request;
    private final ByteBuffer head = ByteBuffer.allocate(LARGEST_HEAD);
    private int requests;
    private boolean waiting;
    private long sent;

    private PollConnection(SocketChannel channel, ByteBuffer request) {
        this.channel = channel;
        this.request = request;
    }

    /** The request as {@link #open} takes it. */
    static ByteBuffer prepare(byte[] request) {
        return ByteBuffer.allocateDirect(request.length).put(request).flip();
    }

    /** Connects, and registers for what comes, with itself as attachment. */
    static PollConnection open(int port, ByteBuffer request, Selector selector) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        PollConnection connection = new PollConnection(channel, request);
        channel.register(selector, SelectionKey.OP_READ, connection);
        return connection;
    }

    /** The connection of a key. */
    static PollConnection of(SelectionKey key) {
        return (PollConnection) key.attachment();
    }

    /** Sends the request. */
    void send() throws IOException {
        head.clear();
        requests++;
        waiting = true;
        sent = System.nanoTime();
        if (channel.write(request.duplicate()) != request.limit()) {
            throw new IOException("a request did not fit into the socket's buffer");
        }
    }

    /** Whether an answer is awaited. */
    boolean isWaiting() {
        return waiting;
    }

    /** Whether it has carried so many requests that another one should take over. */
    boolean isWornOut() {
        return requests >= MOST_REQUESTS;
    }

    /** When the last request was sent, as {@link System#nanoTime} tells it. */
    long sent() {
        return sent;
    }

    void close() throws IOException {
        channel.close();
    }

    /**
     * Reads what came; true when the answer is whole. It has no body, and nothing comes after it.
     *
     * @throws IOException when it is not 304, or the connection was closed
     */
    boolean read() throws IOException {
        if (channel.read(head) < 0) {
            throw new IOException("it was closed after " + requests + " requests");
        }
        byte[] bytes = head.array();
        int n = head.position();
        if (n < 4 || bytes[n - 1] != '\n' || bytes[n - 2] != '\r' || bytes[n - 3] != '\n' || bytes[n - 4] != '\r') {
            if (!head.hasRemaining()) {
                throw new IOException("an answer is longer than " + LARGEST_HEAD + " bytes");
            }
            return false;
        }
        waiting = false;
        for (int i = 0; i < STATUS.length; i++) {
            if (bytes[STATUS_AT + i] != STATUS[i]) {
                throw new IOException("an answer was not 304: "
                        + new String(bytes, 0, n, StandardCharsets.ISO_8859_1).strip());
            }
        }
        return true;
    }
}
