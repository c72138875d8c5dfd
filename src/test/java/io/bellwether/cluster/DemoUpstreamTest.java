package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

/** The demonstration's feed: moves with the clock, a little, and answers who has it already. */
class DemoUpstreamTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T00:00:00Z"));

    @Test
    void feed_atTheNextStep_changedALittleAndKeepsItsNumberOfLines() throws Exception {
        try (DemoUpstream upstream = DemoUpstream.start(0, now::get); HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> first = get(http, upstream.url(), "");
            assertThat(get(http, upstream.url(), "").body()).isEqualTo(first.body());
            now.set(now.get().plus(DemoUpstream.STEP));
            HttpResponse<String> second = get(http, upstream.url(), "");
            Set<String> before = new HashSet<>(first.body().lines().toList());
            assertThat(second.body().lines().count()).isEqualTo(first.body().lines().count());
            assertThat(second.body().lines().filter(line -> !before.contains(line)).count()).isBetween(1L, 100L);
        }
    }

    @Test
    void feed_withTheTagOfThisStep_is304UntilTheNextStep() throws Exception {
        try (DemoUpstream upstream = DemoUpstream.start(0, now::get); HttpClient http = HttpClient.newHttpClient()) {
            String tag = get(http, upstream.url(), "").headers().firstValue("ETag").orElseThrow();
            assertThat(get(http, upstream.url(), tag).statusCode()).isEqualTo(304);
            now.set(now.get().plus(DemoUpstream.STEP));
            assertThat(get(http, upstream.url(), tag).statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> get(HttpClient http, String url, String tag) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (!tag.isEmpty()) {
            request.header("If-None-Match", tag);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
