package io.bellwether.source;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What an upstream says in the body of a refusal, for the operator: a few words, without secrets. */
final class ErrorBody {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int SHORTEST_SECRET = 6;
    private static final Pattern BETWEEN = Pattern.compile("[\\s,;=]+");

    private ErrorBody() {}

    /**
     * Reads the beginning of the body, and closes it.
     *
     * @param secrets header values, which a talkative upstream may repeat
     * @return empty, or a colon and words in quotes
     */
    static String words(HttpResponse<HttpBody> answer, Collection<String> secrets) {
        byte[] bytes = new byte[Snippet.ENOUGH];
        int length = 0;
        try (HttpBody body = answer.body()) {
            Deadline soon = new Deadline(PATIENCE);
            body.hurry(PATIENCE);
            int read = 0;
            while (read >= 0 && length < bytes.length) {
                soon.check();
                length += read;
                read = body.read(bytes, length, bytes.length - length);
            }
        } catch (IOException e) {
            // What has arrived is enough.
        }
        boolean readable = answer.headers().firstValue("Content-Encoding").isEmpty();
        String text = new String(bytes, 0, length, StandardCharsets.UTF_8);
        return text.isBlank() || !readable ? "" : ": " + Snippet.of(mask(text, secrets));
    }

    private static String mask(String text, Collection<String> secrets) {
        return secrets.stream().flatMap(secret -> Stream.concat(Stream.of(secret), BETWEEN.splitAsStream(secret)))
                .filter(part -> part.length() >= SHORTEST_SECRET).reduce(text, (t, part) -> t.replace(part, "***"));
    }
}
