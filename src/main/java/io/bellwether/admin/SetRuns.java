package io.bellwether.admin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobQueries;
import io.bellwether.lease.RunView;
import io.bellwether.policy.Sha256;
import io.bellwether.refresh.RefreshRequest;

/**
 * What an operator can do to the content of a set: approve a candidate, roll back. Each is a queued run of the set's job,
 * done by whichever process is first, under the rules of every run. Thread safe.
 */
public final class SetRuns {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final int LATEST = 100;

    /** Ends of an attempt after which another may do what was asked for. */
    private static final Set<String> TAKEN_OVER = Set.of("abandoned", "fenced");

    /** The candidates of a job, each with the newest run that refused it and the newest approval after that. */
    private static final String CANDIDATES = """
            select encode(c.candidate, 'hex'), c.run_id, c.finished_at, c.reason, c.upserts, c.deletes, c.unchanged,
                a.run_id, a.state
            from (select distinct on (candidate) * from run
                    where job_id = ? and candidate is not null and (?::bytea is null or candidate = ?)
                    order by candidate, run_id desc) c
                left join lateral (select run_id, state from run r
                    where r.job_id = c.job_id and r.request ->> 'approve' = encode(c.candidate, 'hex')
                        and r.run_id > c.run_id
                    order by r.run_id desc limit 1) a on true
            order by c.run_id desc limit ?""";

    private static final String FOR_UPDATE = " for update of j";

    private final Database database;
    private final JobQueries queries;

    /** Operations on the sets of this database. */
    public SetRuns(Database database) {
        this.database = database;
        this.queries = new JobQueries(database);
    }

    /**
     * What was refused of a set and can be approved, the newest first, at most 100.
     *
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such set
     */
    public List<Candidate> candidates(String set) throws SQLException {
        return database.<List<Candidate>, RuntimeException>inTransaction("list candidates", LIMIT,
                connection -> candidates(connection, jobOf(connection, set, "").jobId(), null));
    }

    /**
     * Lets a candidate through once: queues a run that reads the feed again and publishes it if it is still exactly that.
     *
     * @param hash of the candidate
     * @param idempotencyKey as in {@link JobControl#enqueue}
     * @param reason why, for people, or null
     * @return the run; the one that waits or is on already, if there is one
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such set, or none of its runs was refused for it,
     *         {@link FaultKind#CONFLICT} if it was approved and published since it was refused last
     */
    public RunView approve(String set, Sha256 hash, @Nullable String idempotencyKey, @Nullable String reason)
            throws SQLException {
        return database.<RunView, RuntimeException>inTransaction("approve candidate", LIMIT, connection -> {
            JobOfSet job = jobOf(connection, set, FOR_UPDATE);
            // Under the job's lock no other approval can be queued, and none that is on can end.
            Optional<Candidate> before = candidates(connection, job.jobId(), hash).stream().findFirst();
            if (before.isPresent() && ("queued".equals(before.get().approval())
                    || "running".equals(before.get().approval())) && before.get().approvedBy() != null) {
                return JobQueries.inTransaction(connection, before.get().approvedBy());
            }
            return JobControl.enqueue(connection, set, idempotencyKey, new RefreshRequest.Approve(hash).json(), () -> {
                Candidate candidate = before.orElseThrow(() -> new Fault(FaultKind.NOT_FOUND,
                        "no run of '" + set + "' was refused for a candidate " + hash + " (as far as runs are kept)"));
                if ("published".equals(candidate.approval())) {
                    throw new Fault(FaultKind.CONFLICT, "the approval of candidate " + hash + " was used by run "
                            + candidate.approvedBy() + "; it can be approved again when it is refused again");
                }
                return "approval of candidate " + hash + because(reason);
            });
        });
    }

    /**
     * Queues a run that publishes the content of an older revision as the next one and pauses the job.
     *
     * @param to the revision, one whose contents are kept
     * @param idempotencyKey as in {@link JobControl#enqueue}
     * @param reason why, for people, or null
     * @return the run
     * @throws Fault {@link FaultKind#NOT_FOUND} if there is no such set, {@link FaultKind#REVISION_GONE} if the revision is
     *         not kept, {@link FaultKind#CONFLICT} if it is the head
     */
    public RunView rollback(String set, long to, @Nullable String idempotencyKey, @Nullable String reason)
            throws SQLException {
        return database.<RunView, RuntimeException>inTransaction("roll back", LIMIT, connection -> {
            JobOfSet job = jobOf(connection, set, FOR_UPDATE);
            return JobControl.enqueue(connection, set, idempotencyKey, new RefreshRequest.Rollback(to).json(), () -> {
                if (to == job.head()) {
                    throw new Fault(FaultKind.CONFLICT, "revision " + to + " of '" + set + "' is the head already");
                }
                if (to > job.head()) {
                    throw new Fault(FaultKind.NOT_FOUND,
                            "'" + set + "' has no revision " + to + "; the head is " + job.head());
                }
                long oldest = oldestContents(connection, job.setId());
                if (to < oldest) {
                    throw new Fault(FaultKind.REVISION_GONE, "'" + set + "' has no revision " + to
                            + " any more"
                            + (oldest > job.head() ? "" : "; the oldest whose contents are kept is " + oldest));
                }
                return "rollback to revision " + to + because(reason);
            });
        });
    }

    /**
     * Waits for the end of a run, that of the attempts which take it over included.
     *
     * @param limit how long at most
     * @return the run as it is then
     */
    public RunView await(RunView run, Duration limit) throws SQLException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        RunView now = run;
        while (System.nanoTime() < end) {
            if (!now.isFinished()) {
                now = queries.run(now.id()).orElse(now);
            } else if (TAKEN_OVER.contains(now.state())) {
                Optional<RunView> next = nextAttempt(now);
                if (next.isEmpty()) {
                    return now;
                }
                now = next.get();
            }
            if (now.isFinished() && !TAKEN_OVER.contains(now.state())) {
                return now;
            }
            Thread.sleep(LOOK_EVERY);
        }
        return now;
    }

    private Optional<RunView> nextAttempt(RunView run) throws SQLException {
        return queries.runs(run.job(), LATEST, null).stream()
                .filter(r -> r.scheduledAt().equals(run.scheduledAt()) && r.attempt() == run.attempt() + 1)
                .findFirst();
    }

    private record JobOfSet(long setId, long jobId, long head) {}

    private static JobOfSet jobOf(Connection connection, String set, String lock) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select s.set_id, j.job_id, s.revision from job j join policy_set s using (set_id) where s.name = ?
                """ + lock)) {
            query.setString(1, set);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new Fault(FaultKind.NOT_FOUND, "there is no set '" + set + "'");
                }
                return new JobOfSet(row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    /** The oldest revision that can be rolled back to; one behind the head if there is none. */
    private static long oldestContents(Connection connection, long setId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select greatest(contents_from, coalesce((select min(revision) from revision where set_id = ?), revision + 1))
                from policy_set where set_id = ?""")) {
            query.setLong(1, setId);
            query.setLong(2, setId);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getLong(1) : Long.MAX_VALUE;
            }
        }
    }

    private static List<Candidate> candidates(Connection connection, long jobId, @Nullable Sha256 hash)
            throws SQLException {
        List<Candidate> candidates = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(CANDIDATES)) {
            query.setLong(1, jobId);
            query.setBytes(2, hash == null ? null : hash.bytes());
            query.setBytes(3, hash == null ? null : hash.bytes());
            query.setInt(4, LATEST);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    long approvedBy = row.getLong(8);
                    Long approval = row.wasNull() ? null : approvedBy;
                    candidates.add(new Candidate(row.getString(1), row.getLong(2),
                            row.getObject(3, OffsetDateTime.class).toInstant(), row.getString(4), row.getLong(5),
                            row.getLong(6), row.getLong(7), approval, row.getString(9)));
                }
            }
        }
        return candidates;
    }

    private static String because(@Nullable String reason) {
        return reason == null ? "" : ": " + reason;
    }
}
