package io.bellwether.loadtest.bulk;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.bellwether.loadtest.bench.Postgres;

/**
 * What was measured with one number of policies.
 *
 * @param policies in the feed
 * @param feedBytes its length
 * @param heap of the server
 * @param steps in the order in which they were made
 * @param afterFirstLoad the sizes of the tables after the first load
 * @param atEnd and after the last step
 * @param readers what readers saw, or null when there were none
 * @param longRun what many refreshes left, or empty
 */
record SizeResult(long policies, long feedBytes, String heap, List<Measurement> steps,
        Map<String, Postgres.TableSize> afterFirstLoad, Map<String, Postgres.TableSize> atEnd, ReadersResult readers,
        List<LongRun.Sample> longRun) {
    /**
     * What readers saw.
     *
     * @param number how many there were
     * @param idle while nothing else was done
     * @param loading while another set was loaded
     */
    record ReadersResult(int number, Readers.Seen idle, Readers.Seen loading) {
        /** How much longer the slowest hundredth of polls waited while a set was loaded. */
        @JsonProperty
        double headRatio() {
            return loading.heads().p99Millis() / idle.heads().p99Millis();
        }

        /** As {@link #headRatio}, of bundles. */
        @JsonProperty
        double bundleRatio() {
            return loading.bundles().p99Millis() / idle.bundles().p99Millis();
        }
    }

    /** The measurement of a step. */
    Measurement step(String name) {
        return steps.stream().filter(measured -> measured.step().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no step " + name));
    }

    /** Seconds of {@code \copy}: the mean of the one before and the one after. */
    @JsonProperty
    double copySeconds() {
        return (step(Steps.COPY_BEFORE).seconds() + step(Steps.COPY_AFTER).seconds()) / 2;
    }

    /** Seconds of a binary {@code \copy}, likewise. */
    @JsonProperty
    double binaryCopySeconds() {
        return (step(Steps.BINARY_COPY_BEFORE).seconds() + step(Steps.BINARY_COPY_AFTER).seconds()) / 2;
    }

    /** The peak of the server's memory over all of its own steps. */
    @JsonProperty
    long peakBytes() {
        return steps.stream().mapToLong(Measurement::peakBytes).max().orElse(0);
    }
}
