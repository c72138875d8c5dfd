package io.bellwether.loadtest.bulk;

/**
 * What one step cost.
 *
 * @param step its name, see {@link Steps}
 * @param seconds how long it took
 * @param serverCpuSeconds of Bellwether's process
 * @param postgresCpuSeconds of all of PostgreSQL's processes
 * @param walBytes of PostgreSQL's log
 * @param peakBytes of Bellwether's resident memory during the step, or since it began where {@code peakIsOfStep} is false
 * @param peakIsOfStep whether the peak could be reset before the step
 * @param upserts policies put
 * @param deletes policies deleted
 */
record Measurement(String step, double seconds, double serverCpuSeconds, double postgresCpuSeconds, long walBytes,
        long peakBytes, boolean peakIsOfStep, long upserts, long deletes) {}
