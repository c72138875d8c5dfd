package io.bellwether.loadtest.bulk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.bellwether.loadtest.bench.AdminApi;
import io.bellwether.loadtest.bench.Feeds;
import io.bellwether.loadtest.bench.Postgres;
import io.bellwether.loadtest.bench.Upstream;

/**
 * Many small refreshes one after another, each of which changes another thousandth of the set, and what they leave: log,
 * tables, versions of rows not yet vacuumed. The next feed is made while one is being read, so times here are not those of
 * a quiet machine.
 */
final class LongRun {
    private static final int EVERY = 50;

    private LongRun() {}

    /**
     * Where it stood.
     *
     * @param refreshes made so far
     * @param medianSeconds of the refreshes since the sample before
     * @param walBytes written since the first of all
     * @param tables their sizes
     */
    record Sample(int refreshes, double medianSeconds, long walBytes, Map<String, Postgres.TableSize> tables) {
        long totalBytes() {
            return tables.values().stream().mapToLong(Postgres.TableSize::totalBytes).sum();
        }
    }

    /**
     * Refreshes a set that holds the feed as first drawn.
     *
     * @param number how many times, at most one for each thousandth
     */
    static List<Sample> run(int number, String set, long policies, long seed, Feeds feeds, Upstream upstream,
            AdminApi api,
            Postgres postgres) throws Exception {
        List<Sample> samples = new ArrayList<>();
        List<Double> seconds = new ArrayList<>();
        long walBefore = postgres.walPosition();
        samples.add(new Sample(0, 0, 0, postgres.sizes()));
        CompletableFuture<Path> coming = generate(feeds, policies, seed, 1);
        for (int n = 1; n <= number; n++) {
            Path feed = coming.join();
            coming = n < number ? generate(feeds, policies, seed, n + 1) : null;
            upstream.serve(feed, false);
            seconds.add(api.run(set, "published").seconds());
            Files.delete(feed);
            if (n % EVERY == 0 || n == number) {
                seconds.sort(null);
                Sample sample = new Sample(n, seconds.get(seconds.size() / 2), postgres.walPosition() - walBefore,
                        postgres.sizes());
                samples.add(sample);
                seconds.clear();
                System.out.printf(Locale.ROOT,
                        "  %,d refreshes of 0.1 %%: %.3f s each, WAL %,.1f MB, tables %,.1f MB%n", n,
                        sample.medianSeconds(), (double) sample.walBytes() / 1e6, (double) sample.totalBytes() / 1e6);
            }
        }
        return samples;
    }

    private static CompletableFuture<Path> generate(Feeds feeds, long policies, long seed, int n) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return feeds.generate(policies, seed, n / 1000.0);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
    }
}
