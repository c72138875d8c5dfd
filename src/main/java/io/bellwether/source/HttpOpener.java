package io.bellwether.source;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * Gets a feed over HTTP: asks, follows redirects itself, and leaves the body to be read. Each hop is checked against what
 * is allowed before it is connected to. The request's headers are secrets of the URL's origin (scheme, host and port);
 * from the first hop that leaves it they are not sent any more, not even back. Thread-safe.
 */
final class HttpOpener {
    /** Headers that are ours: sent by us, or of an effect on the body that the reader could not know of. */
    private static final Set<String> OURS = Set.of("accept-encoding", "connection", "content-length", "expect", "host",
            "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range", "te",
            "transfer-encoding", "upgrade");

    private final HttpClient client;
    private final SourceAllow allow;

    HttpOpener(HttpClient client, SourceAllow allow) {
        this.client = client;
        this.allow = allow;
    }

    Opened open(SourceUrl first, SourceRequest request, Deadline deadline) throws IOException {
        refuseHeaders(request.headers());
        SourceUrl url = first;
        boolean home = true;
        for (int hop = 0; hop <= request.maxRedirects(); hop++) {
            allow.checkConnection(url);
            HttpResponse<HttpBody> answer = send(url, request, home, deadline);
            String location = redirect(answer);
            if (location == null) {
                return result(url, answer, request);
            }
            answer.body().close();
            SourceUrl next = url.resolve(location);
            if (next.isFile() || url.scheme().equals("https") && !next.scheme().equals("https")) {
                throw new FeedException(FeedProblem.BAD_REDIRECT,
                        url + " redirects from " + url.scheme() + " to " + next.scheme());
            }
            home = home && next.origin().equals(first.origin());
            url = next;
        }
        throw new FeedException(FeedProblem.BAD_REDIRECT,
                first + " redirects more than " + request.maxRedirects() + " times");
    }

    private static void refuseHeaders(Map<String, String> headers) throws FeedException {
        for (String name : headers.keySet()) {
            if (OURS.contains(name.toLowerCase(Locale.ROOT))) {
                throw new FeedException(FeedProblem.BAD_REQUEST, "the source's header " + name + " cannot be set");
            }
        }
    }

    private HttpResponse<HttpBody> send(SourceUrl url, SourceRequest request, boolean home, Deadline deadline)
            throws FeedException {
        SourceTimeouts timeouts = request.timeouts();
        deadline.check();
        CompletableFuture<HttpResponse<HttpBody>> coming = client.sendAsync(build(url, request, home),
                info -> new HttpBody(info.headers().firstValueAsLong("Content-Length").orElse(-1), timeouts.stall(),
                        deadline));
        Duration wait = timeouts.firstByte();
        try {
            return coming.get(deadline.nanos(wait), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            giveUp(coming);
            throw deadline.passed(wait, url + " did not answer");
        } catch (InterruptedException e) {
            giveUp(coming);
            Thread.currentThread().interrupt();
            throw new FeedException(FeedProblem.STOPPED, "getting the feed was stopped", e);
        } catch (ExecutionException e) {
            throw failure(url, e.getCause() == null ? e : e.getCause());
        }
    }

    private static void giveUp(CompletableFuture<HttpResponse<HttpBody>> coming) {
        if (!coming.cancel(true)) {
            // It came in the same moment.
            var _ = coming.thenAccept(answer -> answer.body().close());
        }
    }

    private static FeedException failure(SourceUrl url, Throwable cause) {
        if (cause instanceof HttpConnectTimeoutException) {
            return new FeedException(FeedProblem.TIMEOUT, "no connection to " + url + " in time", cause);
        }
        if (cause instanceof UnresolvedAddressException || cause.getCause() instanceof UnresolvedAddressException) {
            return new FeedException(FeedProblem.UNREACHABLE, "no such host: " + url.host(), cause);
        }
        String what = cause instanceof SSLException ? "no trust in the certificate, or no TLS: " : "";
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new FeedException(FeedProblem.UNREACHABLE, "no answer from " + url + " (" + what + message + ")", cause);
    }

    private static HttpRequest build(SourceUrl url, SourceRequest request, boolean home) throws FeedException {
        // Over http the JDK would ask for an upgrade to HTTP/2, which confuses some servers and helps with none.
        HttpRequest.Builder builder = HttpRequest.newBuilder()
                .version(url.scheme().equals("https") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
        String header = "URL";
        try {
            URI uri = url.uri();
            builder.uri(uri).GET();
            builder.setHeader("User-Agent", "bellwether");
            builder.setHeader("Accept", "application/x-ndjson, application/json;q=0.9, */*;q=0.5");
            builder.setHeader("Accept-Encoding", "gzip, zstd");
            request.validators().headers().forEach(builder::setHeader);
            if (home) {
                for (Map.Entry<String, String> entry : request.headers().entrySet()) {
                    header = "header " + entry.getKey();
                    builder.setHeader(entry.getKey(), entry.getValue());
                }
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            // No cause: its message may quote the value of a header.
            throw new FeedException(FeedProblem.BAD_REQUEST, "the source's " + header + " cannot be sent");
        }
    }

    /** Where the answer sends us; null if it does not. */
    private static @Nullable String redirect(HttpResponse<?> answer) {
        return switch (answer.statusCode()) {
            case 301, 302, 303, 307, 308 -> answer.headers().firstValue("Location").orElse(null);
            default -> null;
        };
    }

    private static Opened result(SourceUrl url, HttpResponse<HttpBody> answer, SourceRequest request)
            throws IOException {
        int status = answer.statusCode();
        if (status == 200) {
            return FeedStream.open(new HttpTransport(url, answer), request.limits());
        }
        if (status == 304 && !request.validators().isEmpty()) {
            answer.body().close();
            return new Opened.NotModified(HttpTransport.validators(answer).orElse(request.validators()));
        }
        throw new FeedException(FeedProblem.HTTP_STATUS,
                url + " answered " + status + ErrorBody.words(answer, request.headers().values()));
    }
}
