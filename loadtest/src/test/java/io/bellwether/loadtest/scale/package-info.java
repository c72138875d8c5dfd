/**
 * All simulations, one after another, for growing numbers of processes: how throughput and tail grow with them.
 *
 * <p>Each number of processes gets a cluster of its own. A simulation runs as it would by hand, in a Java of its own, and
 * what it says is its exit code and Gatling's log of it, which only the same Gatling can read ({@link
 * io.bellwether.loadtest.scale.GatlingLog}); since 3.13.5 it writes its figures nowhere else but into pages for people.
 * Everything shares one machine, the clients included: from a number of processes on, more of them can only cost.
 */
package io.bellwether.loadtest.scale;
