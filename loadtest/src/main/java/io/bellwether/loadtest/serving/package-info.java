/**
 * The serving benchmark: what a fleet gets through nginx, beside what the machine could give at best, in one run.
 *
 * <p>Each rate is measured against a yardstick that is as simple as can be: the server's answers that nothing changed
 * against those of the smallest possible handler of the same HTTP server, with the same header, options of Java and nginx
 * ({@link io.bellwether.loadtest.serving.SmallestJetty}); whole sets against the same bytes as a static file of the same
 * nginx ({@link io.bellwether.loadtest.serving.Yardstick}). The two take turns, a few seconds each, and the middle one of
 * the ratios of all rounds is judged: what else happens on a machine, and what it did to itself in the minutes before,
 * falls on both. The clients are threads of the benchmark, one per processor at most, that send prepared bytes and throw
 * away what comes; what they cost is told, for they share the machine with what is measured.
 */
package io.bellwether.loadtest.serving;
