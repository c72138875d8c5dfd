package io.bellwether.loadtest.serving;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.Verdict;

/**
 * How long polls take while nothing else happens, while cold clients fetch a whole set again and again, and while a large
 * feed is loaded besides. The same polls of a static file, by the second nginx, go on beside them: they tell how long
 * anything waits for a processor on this machine then.
 */
final class DuringPart {
    static final double MOST_OF_IDLE = 3;

    private static final String LOADED = "loaded";
    private static final long SEED = 4;
    private static final long WARM_UP_MILLIS = 5_000;
    private static final long IDLE_MILLIS = 20_000;
    private static final long COLD_MILLIS = 10_000;

    private DuringPart() {}

    /**
     * What was seen at one time.
     *
     * @param when in words
     * @param polls of the set's head
     * @param statics polls of a static file meanwhile
     * @param downloads of cold clients; null when there were none
     */
    record Window(String when, WatchedPolls.Seen polls, WatchedPolls.Seen statics, Downloads.Result downloads) {}

    /**
     * What came out.
     *
     * @param idle while nothing else was done
     * @param cold while clients fetched whole sets
     * @param loading while they did and a feed was loaded
     * @param rawBytes of that feed's lines
     * @param refreshSeconds how long the refresh took
     */
    record Result(Window idle, Window cold, Window loading, long rawBytes, double refreshSeconds) {
        double ratio() {
            return loading.polls().latencies().p99Millis() / idle.polls().latencies().p99Millis();
        }

        List<Verdict> verdicts() {
            List<Verdict> verdicts = new ArrayList<>();
            verdicts.add(Verdict.atMost("p99 of polls during a refresh and cold clients, of the idle one", ratio(),
                    MOST_OF_IDLE));
            verdicts.add(Verdict.atMost("failed polls", idle.polls().failures() + cold.polls().failures()
                    + loading.polls().failures(), 0));
            return verdicts;
        }
    }

    /**
     * Watches.
     *
     * @param whole the set that cold clients fetch
     */
    static Result measure(Stage stage, String whole) throws Exception {
        Options options = stage.options();
        Path feed = stage.feeds().generate(stage.policiesOfRaw(options.refreshMegabytes() * 1_000_000L), SEED, 0);
        stage.upstream().serve(feed, false);
        stage.api().define(LOADED, stage.upstream().url());
        int front = stage.cluster().port();
        long bytes = stage.api().manifest(whole).path("bytes").asLong();
        byte[] bundle = stage.bundle(whole);
        Yardstick yardstick = stage.yardstick();
        byte[] plain = yardstick.staticPoll(
                stage.api().head(Stage.SMALL).toString().getBytes(StandardCharsets.UTF_8));
        try (WatchedPolls polls = new WatchedPolls(front, stage.poll(front), options.pollRate());
                WatchedPolls statics = new WatchedPolls(yardstick.staticPort(), plain, options.pollRate())) {
            Thread.sleep(WARM_UP_MILLIS);
            begin(polls, statics);
            Thread.sleep(IDLE_MILLIS);
            Window idle = end("idle", polls, statics, null);

            Window cold = idle;
            Downloads downloads = null;
            if (options.coldClients() > 0) {
                downloads = Downloads.again(front, bundle, options.coldClients(), bytes);
                begin(polls, statics);
                Thread.sleep(COLD_MILLIS);
                cold = end("cold clients", polls, statics, downloads.stop());
                downloads.close();
                downloads = Downloads.again(front, bundle, options.coldClients(), bytes);
            }
            begin(polls, statics);
            try {
                AdminApi.Run run = stage.api().run(LOADED, "published");
                WatchedPolls.Seen seen = polls.end();
                WatchedPolls.Seen seenStatics = statics.end();
                Window loading = say(new Window("a refresh and cold clients", seen, seenStatics,
                        downloads == null ? null : downloads.stop()));
                return new Result(idle, cold, loading, stage.api().manifest(LOADED).path("rawBytes").asLong(),
                        run.seconds());
            } finally {
                if (downloads != null) {
                    downloads.close();
                }
            }
        } finally {
            Files.delete(feed);
        }
    }

    private static void begin(WatchedPolls polls, WatchedPolls statics) {
        polls.begin();
        statics.begin();
    }

    private static Window end(String when, WatchedPolls polls, WatchedPolls statics, Downloads.Result downloads) {
        return say(new Window(when, polls.end(), statics.end(), downloads));
    }

    private static Window say(Window window) {
        System.out.printf(Locale.ROOT, "  polls, %-28s p50 %7.2f ms  p99 %7.2f ms  of a static file %7.2f and %7.2f ms"
                + "  failed %d%s  cold %,.0f MB/s%n", window.when(), window.polls().latencies().p50Millis(),
                window.polls().latencies().p99Millis(), window.statics().latencies().p50Millis(),
                window.statics().latencies().p99Millis(), window.polls().failures(),
                window.polls().lastFailure().isEmpty() ? "" : " (" + window.polls().lastFailure() + ")",
                window.downloads() == null ? 0 : window.downloads().bytesPerSecond() / 1e6);
        return window;
    }
}
