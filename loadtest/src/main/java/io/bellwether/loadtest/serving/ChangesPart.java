package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Verdict;

/** What a client that has a set receives after a thousandth of it changed. */
final class ChangesPart {
    static final double MOST_OF_SET = 0.01;

    private static final String SET = "changing";
    private static final long SEED = 3;
    private static final double CHANGE = 0.001;

    private ChangesPart() {}

    /**
     * What came out; all in bytes of bodies as they were sent.
     *
     * @param policies of the set
     * @param changed of them: put or deleted
     * @param rawBytes of the set's lines
     * @param bytes of the bundle
     * @param changesBytes of the change feed
     * @param gzipBytes of the change feed to a client that says it takes gzip
     * @param encoding in which it came then; empty when it was not encoded
     * @param manifestBytes of the manifest to a client that says it takes gzip
     * @param segmentsBytes of the segments that the client has not
     * @param segments how many of them
     */
    record Result(long policies, long changed, long rawBytes, long bytes, long changesBytes, long gzipBytes,
            String encoding, long manifestBytes, long segmentsBytes, int segments) {
        List<Verdict> verdicts() {
            return List.of(
                    Verdict.atMost("changes of a thousandth, of the set's lines",
                            (double) changesBytes / (double) rawBytes, MOST_OF_SET),
                    Verdict.atMost("changes of a thousandth as a client that takes gzip receives them, of the bundle",
                            (double) gzipBytes / (double) bytes, MOST_OF_SET));
        }
    }

    /** A body, of which all but the length and the end has been thrown away. */
    private record Body(long bytes, String encoding, String end) {}

    static Result measure(Stage stage) throws IOException, InterruptedException {
        long policies = stage.options().policies();
        stage.load(SET, policies, SEED);
        JsonNode before = stage.api().manifest(SET);
        Path feed = stage.feeds().generate(policies, SEED, CHANGE);
        stage.upstream().serve(feed, false);
        AdminApi.Run run = stage.api().run(SET, "published");
        Files.delete(feed);
        JsonNode after = stage.api().manifest(SET);
        String changes = "/v1/sets/" + SET + "/changes?since=" + before.path("revision").asLong();
        Body raw = get(stage, changes, false);
        if (!raw.end().contains("\"end\":true")) {
            throw new BenchmarkException("the change feed has no closing line: …" + raw.end());
        }
        Body gzip = get(stage, changes, true);
        Set<String> held = new HashSet<>();
        before.path("segments").forEach(segment -> held.add(segment.path("sha256").asText()));
        long missing = 0;
        int segments = 0;
        for (JsonNode segment : after.path("segments")) {
            if (!held.contains(segment.path("sha256").asText())) {
                missing += segment.path("bytes").asLong();
                segments++;
            }
        }
        Result result = new Result(policies, run.upserts() + run.deletes(), after.path("rawBytes").asLong(),
                after.path("bytes").asLong(), raw.bytes(), gzip.bytes(), gzip.encoding(),
                get(stage, "/v1/sets/" + SET + "/manifest", true).bytes(), missing, segments);
        System.out.printf(Locale.ROOT, "  changes of %,d policies: %,d bytes, %,d to who takes gzip; of %,d and %,d%n",
                result.changed(), result.changesBytes(), result.gzipBytes(), result.rawBytes(), result.bytes());
        return result;
    }

    private static Body get(Stage stage, String path, boolean gzip) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(stage.cluster().url() + path))
                .timeout(stage.options().limit()).header("Authorization", "Bearer " + stage.token());
        if (gzip) {
            request.header("Accept-Encoding", "gzip");
        }
        // This client decodes nothing by itself.
        HttpResponse<byte[]> answer = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
                .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new BenchmarkException(path + " was answered with " + answer.statusCode());
        }
        byte[] body = answer.body();
        int end = Math.max(0, body.length - 300);
        return new Body(body.length, answer.headers().firstValue("Content-Encoding").orElse(""),
                new String(body, end, body.length - end, StandardCharsets.UTF_8));
    }
}
