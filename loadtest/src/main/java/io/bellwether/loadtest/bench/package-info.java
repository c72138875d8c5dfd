/**
 * What the benchmarks stand on: a cluster as a user starts it, other programs with a limit each, what Linux and PostgreSQL
 * tell of them, and what undoes all of it.
 *
 * <p>Two things hold for all of it. Whatever is started is stopped, also when a benchmark fails or is stopped by a signal
 * ({@link io.bellwether.loadtest.bench.Cleanup}). And everything is measured from outside: {@code /proc}, PostgreSQL's own
 * figures, and what clients see.
 */
package io.bellwether.loadtest.bench;
