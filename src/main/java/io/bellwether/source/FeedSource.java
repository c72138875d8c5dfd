package io.bellwether.source;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

/**
 * Opens feeds, over http, https or from a file. Holds the HTTP client of the process: one selector thread, and connections
 * kept alive between refreshes. Thread-safe; each {@link FeedStream} belongs to the thread that opened it.
 */
public final class FeedSource implements AutoCloseable {
    /** For a connection and its TLS handshake; a setting of the client, not of a request. */
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final SourceAllow allow;
    private final InstantSource clock;
    private final ExecutorService callbacks = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;
    private final HttpOpener http;

    /**
     * A source of feeds.
     *
     * @param allow where they may come from
     * @param clock tells the age of files
     */
    public FeedSource(SourceAllow allow, InstantSource clock) {
        this(allow, clock, CONNECT, null);
    }

    /** With another time to connect in, and other roots of trust than the JDK's. */
    FeedSource(SourceAllow allow, InstantSource clock, Duration connect, @Nullable SSLContext trust) {
        this.allow = allow;
        this.clock = clock;
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(connect)
                .followRedirects(HttpClient.Redirect.NEVER).executor(callbacks);
        this.client = (trust == null ? builder : builder.sslContext(trust)).build();
        this.http = new HttpOpener(client, allow);
    }

    /**
     * Opens a feed. Blocks until the headers of the answer are there, at most the time-outs of the request.
     *
     * @return the feed, to be closed by the caller, or that it has not been modified
     * @throws FeedException if it is not allowed, cannot be had, or begins like no feed
     */
    public Opened open(SourceRequest request) throws FeedException {
        SourceUrl url = SourceUrl.parse(request.url());
        Deadline deadline = new Deadline(request.timeouts().whole());
        try {
            return url.isFile() ? openFile(url, request, deadline) : http.open(url, request, deadline);
        } catch (FeedException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new FeedException(FeedProblem.UNREACHABLE, "no such file: " + url, e);
        } catch (IOException e) {
            String what = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new FeedException(FeedProblem.UNREACHABLE, url + " cannot be read: " + what, e);
        }
    }

    private Opened openFile(SourceUrl url, SourceRequest request, Deadline deadline) throws IOException {
        FileTransport file = new FileTransport(allow.checkFile(url), clock.instant(), deadline);
        Validators now = file.validators();
        if (!now.isEmpty() && now.equals(request.validators())) {
            file.body().close();
            return new Opened.NotModified(now);
        }
        return FeedStream.open(file, request.limits());
    }

    /** Ends what is under way and lets go of threads and connections. */
    @Override
    public void close() {
        client.shutdownNow();
        client.close();
        callbacks.shutdownNow();
        callbacks.close();
    }
}
