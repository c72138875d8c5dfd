/**
 * The bulk benchmark: what a refresh of a large set costs, beside PostgreSQL's own {@code \copy} of the same rows into the
 * same table, in one run on one machine.
 *
 * <p>It runs the product as a user does: {@code bellwether up} in a folder of its own, the set defined and run through the
 * admin API, the feed served by an upstream of the benchmark's ({@link io.bellwether.loadtest.bench.Upstream}). Everything is
 * measured from outside: the ledger of runs tells the time, {@code /proc} the CPU time and the memory, PostgreSQL the log
 * it wrote and the size of its tables. Numbers of other runs or other machines are never compared: the yardstick is taken
 * right before and right after, and what is judged ({@link io.bellwether.loadtest.bulk.Thresholds}) are ratios.
 */
package io.bellwether.loadtest.bulk;
