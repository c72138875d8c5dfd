package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.telemetry.Meters;

/**
 * All jobs as this process knows them. Looked at by the timer's thread alone; its entries are thread safe.
 *
 * <p>It also tells, once per tick, that somebody else has run it: from the row, which is there when a tick was won,
 * whereas the gate only knows who tries.
 */
final class JobBoard {
    private static final Logger log = LoggerFactory.getLogger(TickService.class);
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration SOONEST = Duration.ofMillis(20);

    private final Ledger ledger;
    private final Set<String> kinds;
    private final String process;
    private final Meters meters;
    private final Map<Long, JobEntry> entries = new TreeMap<>();
    private final Set<String> complained = new HashSet<>();
    private long lookedNanos;
    private boolean looked;
    private boolean wanted;
    private boolean up = true;

    JobBoard(Ledger ledger, Set<String> kinds, String process, Meters meters) {
        this.ledger = ledger;
        this.kinds = kinds;
        this.process = process;
        this.meters = meters;
    }

    /** Whether the last look succeeded. */
    boolean isUp() {
        return up && looked;
    }

    /**
     * Looks at the database when the last look is too old for what is to be decided.
     *
     * @param asked whether somebody asked for a look
     * @return whether the entries are good; false while the database is away
     */
    boolean refresh(boolean asked) {
        wanted |= asked;
        if (looked && untilLook().isPositive()) {
            return up;
        }
        wanted = false;
        long begun = System.nanoTime();
        try {
            take(ledger.look(), begun);
            if (!up) {
                log.info("the database is back; ticks are claimed again");
            }
            up = true;
        } catch (SQLException e) {
            if (up && !Thread.currentThread().isInterrupted()) {
                log.warn("the database is away; no tick is claimed until it is back ({})", e.toString());
            }
            up = false;
        }
        looked = true;
        lookedNanos = System.nanoTime();
        return up;
    }

    /** How long until a look that somebody waits for may be made. */
    Duration untilLook() {
        boolean soon = wanted || entries.values().stream().anyMatch(JobEntry::isChanged);
        Duration since = Duration.ofNanos(System.nanoTime() - lookedNanos);
        Duration left = (soon ? SOONEST : EVERY).minus(since);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * The jobs that can be run here: those first whose last tick lies back longest, so that none starves where there is
     * more to do than slots; those alike from a place in the list that differs from process to process.
     */
    List<JobEntry> jobs() {
        List<JobEntry> known = new ArrayList<>(entries.values());
        if (!known.isEmpty()) {
            Collections.rotate(known, Math.floorMod(process.hashCode(), known.size()));
            known.sort(Comparator.comparing(entry -> entry.row().cursor()));
        }
        return known.stream().filter(entry -> !entry.isBroken() && kinds.contains(entry.row().kind())).toList();
    }

    private void take(List<JobRow> rows, long begun) {
        Set<Long> seen = new HashSet<>();
        for (JobRow row : rows) {
            seen.add(row.jobId());
            JobEntry entry = entries.get(row.jobId());
            if (entry == null) {
                entry = new JobEntry(row);
                entries.put(row.jobId(), entry);
            } else {
                tellOthersTick(entry.seen(row, begun), row);
            }
            complain(entry, row);
        }
        entries.keySet().retainAll(seen);
    }

    private void tellOthersTick(JobRow before, JobRow now) {
        JobRow.Newest newest = now.newest();
        if (now.cursor().isAfter(before.cursor()) && newest != null && newest.process() != null
                && newest.scheduledAt().equals(now.cursor()) && newest.attempt() == 1
                && !newest.process().equals(process)) {
            meters.tick(now.name(), "lost");
            log.info("job={} tick={} not leader, skipped (leader is {})", now.name(), now.cursor(), newest.process());
        }
    }

    private void complain(JobEntry entry, JobRow row) {
        String why = entry.isBroken()
                ? "its schedule '" + row.schedule() + "' in zone '" + row.zone() + "' cannot be read"
                : kinds.contains(row.kind()) ? null : "this process has no work of kind " + row.kind();
        if (why != null && complained.add(row.jobId() + "/" + row.version())) {
            log.warn("job={} is left out: {}", row.name(), why);
        }
    }
}
