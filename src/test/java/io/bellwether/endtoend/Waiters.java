package io.bellwether.endtoend;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Thousands of clients that wait for the head of a set by long poll, on one thread: each asks again as soon as it has its
 * answer, with the tag of that. They take whole answers with a Content-Length alone, which heads are. To be used by one
 * thread.
 */
final class Waiters implements AutoCloseable {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([0-9]{3}) ");
    // Not "\\r$": in Java $ does not match between CR and LF.
    private static final Pattern ETAG = Pattern.compile("(?im)^etag: ([^\\r\\n]+)");
    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: ([0-9]+)");
    private static final Pattern PUBLISHED = Pattern.compile("\"publishedAt\":\"([^\"]+)\"");
    private static final Pattern REVISION = Pattern.compile("\"revision\":([0-9]+)");

    private final URI url;
    private final String token;
    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger broken = new AtomicInteger();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /**
     * An answer.
     *
     * @param client whose, from 0
     * @param status of HTTP
     * @param revision that it tells of; 0 without a body
     * @param lag from publish to answer, by the clocks of database and test; null without a body
     */
    record Answer(int client, int status, long revision, @Nullable Duration lag) {}

    private static final class Client {
        private final int number;
        private final SocketChannel channel;
        private final ByteArrayOutputStream got = new ByteArrayOutputStream(512);
        private String etag = "";
        private boolean closed;

        Client(int number, SocketChannel channel) {
            this.number = number;
            this.channel = channel;
        }
    }

    /**
     * Connects them all; they begin to ask at once: first for the head as it is.
     *
     * @param url of the set's head
     */
    Waiters(URI url, String token, int count) throws IOException {
        this.url = url;
        this.token = token;
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(url.getHost(), url.getPort()));
            channel.configureBlocking(false);
            Client client = new Client(i, channel);
            clients.add(client);
            channel.register(selector, SelectionKey.OP_READ, client);
        }
        tasks.add(() -> clients.forEach(this::ask));
        thread = Thread.ofPlatform().name("waiters").start(this::run);
    }

    private void ask(Client client) {
        String wait = client.etag.isEmpty() ? "" : "If-None-Match: " + client.etag + "\r\nPrefer: wait=50\r\n";
        ByteBuffer request = ByteBuffer.wrap(("GET " + url.getRawPath() + " HTTP/1.1\r\nHost: " + url.getAuthority()
                + "\r\nAuthorization: Bearer " + token + "\r\n" + wait + "\r\n").getBytes(US_ASCII));
        try {
            while (request.hasRemaining()) {
                client.channel.write(request);
            }
        } catch (IOException e) {
            lose(client);
        }
    }

    private void run() {
        ByteBuffer buffer = ByteBuffer.wrap(new byte[16 << 10]);
        try {
            while (!stopping) {
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                selector.select(200);
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.attachment() instanceof Client client && key.isValid()) {
                        read(client, buffer);
                    }
                }
                selector.selectedKeys().clear();
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    private void read(Client client, ByteBuffer buffer) {
        try {
            buffer.clear();
            if (client.channel.read(buffer) < 0) {
                lose(client);
                return;
            }
        } catch (IOException e) {
            lose(client);
            return;
        }
        byte[] some = new byte[buffer.flip().remaining()];
        buffer.get(some);
        client.got.writeBytes(some);
        String text = client.got.toString(US_ASCII);
        int head = text.indexOf("\r\n\r\n");
        if (head < 0) {
            return;
        }
        String header = text.substring(0, head + 2);
        int status = Integer.parseInt(first(STATUS, header, "0"));
        int length = status == 304 ? 0 : Integer.parseInt(first(LENGTH, header, "0"));
        if (text.length() < head + 4 + length) {
            return;
        }
        String published = first(PUBLISHED, text, "");
        answers.add(new Answer(client.number, status, Long.parseLong(first(REVISION, text, "0")),
                published.isEmpty() ? null : Duration.between(Instant.parse(published), Instant.now())));
        String etag = first(ETAG, header, "");
        if (etag.isEmpty()) {
            // Without one it would ask again and again, and never wait.
            throw new IllegalStateException("an answer without a tag: " + text);
        }
        client.etag = etag;
        client.got.reset();
        ask(client);
    }

    private static String first(Pattern pattern, String text, String otherwise) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : otherwise;
    }

    private void lose(Client client) {
        if (!client.closed) {
            broken.incrementAndGet();
            close(client);
        }
    }

    private static void close(Client client) {
        client.closed = true;
        try {
            client.channel.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes the connections of the first of them, as clients do that give up. */
    void abandon(int count) {
        tasks.add(() -> clients.subList(0, count).forEach(Waiters::close));
        selector.wakeup();
    }

    /** The answers since this was asked last, in the order in which they came. */
    List<Answer> take() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError("the clients stopped", thrown);
        }
        List<Answer> taken = new ArrayList<>();
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            taken.add(answer);
        }
        return taken;
    }

    /** How many connections ended that nobody here closed. */
    int broken() {
        return broken.get();
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clients.forEach(Waiters::close);
        selector.close();
    }
}
