package io.bellwether.loadtest;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;

import static io.gatling.javaapi.core.CoreDsl.bodyLength;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.foreach;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.regex;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/** What one downstream server does; the simulations put these together. */
final class Fleet {
    private static final String HEAD = "/v1/sets/" + Target.SET;
    private static final int LATE_MILLIS = Target.number("late", 2000);

    private Fleet() {}

    /** The head, asked for with the tag of the last answer, which is held or had is 304. */
    static HttpRequestActionBuilder head(String name) {
        return http(name).get(HEAD).header("If-None-Match", session -> session.contains("etag")
                ? String.valueOf(session.getString("etag")) : "\"none\"")
                .check(status().in(200, 304), header("ETag").saveAs("etag"));
    }

    /** One poll and a pause of {@code pause} milliseconds, half of it at random. */
    static ChainBuilder poll(int pause) {
        return exec(head("head")).pause(session -> around(pause));
    }

    /**
     * One long poll. An answer with news that comes later than {@code late} milliseconds after its revision was published
     * counts as failed; the clocks of this machine and of the server are compared, so they should be one.
     */
    static ChainBuilder waitForNews(int seconds) {
        return exec(head("wait").header("Prefer", "wait=" + seconds)
                .checkIf((response, session) -> response.status().code() == 200)
                .then(jsonPath("$.publishedAt").transform(Fleet::millisSince)
                        .validate("answered in time", (millis, session) -> {
                            Lateness.add(millis);
                            if (millis > LATE_MILLIS) {
                                throw new IllegalStateException(millis + " ms after the publish");
                            }
                            return millis;
                        })));
    }

    private static long millisSince(String instant) {
        return Duration.between(Instant.parse(instant), Instant.now()).toMillis();
    }

    /** Finds the head's revision, from which {@link #changes} goes on. */
    static ChainBuilder revision() {
        return exec(http("revision").get(HEAD).check(status().is(200), jsonPath("$.revision").saveAs("since")));
    }

    /** What changed since the last time, by long poll; a feed without its closing line counts as failed. */
    static ChainBuilder changes(int seconds) {
        return exec(http("changes").get(HEAD + "/changes").queryParam("since", "#{since}")
                .header("If-None-Match", session -> session.contains("changesTag")
                        ? String.valueOf(session.getString("changesTag")) : "\"none\"")
                .header("Prefer", "wait=" + seconds)
                .check(status().in(200, 304), header("ETag").saveAs("changesTag"))
                .checkIf((response, session) -> response.status().code() == 200)
                .then(regex("\"end\":true,\"next\":(\\d+)").saveAs("since")));
    }

    /** The whole set, segment by segment; a segment of another length than the manifest says counts as failed. */
    static ChainBuilder segments() {
        return exec(http("manifest").get(HEAD + "/manifest").check(status().is(200),
                jsonPath("$.segments[*].sha256").findAll().saveAs("names"),
                jsonPath("$.segments[*].bytes").ofInt().findAll().saveAs("lengths")))
                .foreach("#{names}", "name", "index").on(
                        exec(http("segment").get(HEAD + "/segments/#{name}").check(status().is(200),
                                bodyLength().is(session -> session.<Integer>getList("lengths")
                                        .get(session.getInt("index"))))));
    }

    /** The whole set as one file, by way of the redirect to its revision. */
    static ChainBuilder bundle() {
        return exec(http("redirect").get(HEAD + "/bundle.ndjson.gz").check(status().is(307),
                header("Location").saveAs("bundle")))
                .exec(http("bundle").get("#{bundle}").check(status().is(200)));
    }

    /** Half of it and as much again at random: a fleet never asks in step. */
    static Duration around(int millis) {
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextInt(Math.max(1, millis)));
    }
}
