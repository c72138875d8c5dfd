package io.bellwether.lease;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.database.AmbiguousCommitException;
import io.bellwether.database.Database;
import io.bellwether.database.TransactionBody;
import io.bellwether.fault.Failpoint;
import io.bellwether.schedule.Step;

/** The ledger in PostgreSQL. Thread safe. Lock order everywhere: the job's row, then the run's. */
final class JobLedger implements Ledger {
    private static final Logger log = LoggerFactory.getLogger(JobLedger.class);
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final Database database;

    JobLedger(Database database) {
        this.database = database;
    }

    @Override
    public List<JobRow> look() throws SQLException {
        return run("look at jobs", LookQuery::read);
    }

    @Override
    public ClaimOutcome claim(JobRow job, Instant tick, Ticket ticket) throws SQLException {
        return settled(job, ticket, run -> Claims.claim(run, job, tick, ticket));
    }

    @Override
    public ClaimOutcome claimQueued(JobRow job, long runId, Ticket ticket) throws SQLException {
        return settled(job, ticket, run -> Claims.claimQueued(run, job, runId, ticket));
    }

    @Override
    public ClaimOutcome retry(JobRow job, Instant tick, int attempt, Ticket ticket) throws SQLException {
        return settled(job, ticket, run -> Claims.retry(run, job, tick, attempt, ticket));
    }

    @Override
    public ClaimOutcome takeOver(JobRow job, long runId, boolean superseded, Ticket ticket) throws SQLException {
        run("end of a dead run's back end", connection -> TakeOvers.endBackend(connection, runId, null));
        return settled(job, ticket, run -> TakeOvers.takeOver(run, job, runId, superseded, ticket));
    }

    /** Runs a claim; when the answer to its COMMIT was lost, looks for its row. */
    private ClaimOutcome settled(JobRow job, Ticket ticket, TransactionBody<ClaimOutcome, SQLException> claim)
            throws SQLException {
        try {
            return run("claim", connection -> {
                ClaimOutcome outcome = claim.run(connection);
                if (outcome instanceof ClaimOutcome.Won) {
                    Failpoint.reach(Failpoint.CLAIM_SENT, job.name());
                }
                return outcome;
            });
        } catch (AmbiguousCommitException e) {
            log.info("job={} the answer to a claim was lost; looking for its row", job.name());
            return Repeated.ask(() -> ticket.lease().dividedBy(3), () -> run("look for a claim", connection -> {
                // Waits for the lost transaction: it holds the job's row for as long as it may still commit.
                JobLock.await(connection, job.jobId());
                return Claims.byNonce(connection, job, ticket);
            }));
        }
    }

    @Override
    public boolean overlapped(JobRow job, List<Instant> ticks) throws SQLException {
        return run("overlapped ticks", connection -> {
            JobLock lock = JobLock.tryLock(connection, job.jobId());
            if (lock == null || !lock.agrees(job) || ticks.getLast().isAfter(lock.now())
                    || job.running() == null || !Claims.isRunning(connection, job.jobId(), job.running().runId())) {
                return false;
            }
            for (Instant tick : ticks) {
                TickRows.insert(connection, job.jobId(), "overlapped", tick, tick, 1, "due during a run");
            }
            TickRows.moveCursor(connection, job.jobId(), ticks.getLast());
            return true;
        });
    }

    @Override
    public boolean missed(JobRow job, Step.Stretch ticks) throws SQLException {
        return stretch(job, ticks, "missed", "nobody could run it in time");
    }

    @Override
    public boolean paused(JobRow job, Step.Stretch ticks) throws SQLException {
        return stretch(job, ticks, "paused", "due during a pause");
    }

    private boolean stretch(JobRow job, Step.Stretch ticks, String state, String reason) throws SQLException {
        return run(state + " ticks", connection -> {
            JobLock lock = JobLock.tryLock(connection, job.jobId());
            if (lock == null || !lock.agrees(job) || ticks.last().isAfter(lock.now())) {
                return false;
            }
            if (state.equals("paused") && !lock.isPaused(ticks.last())) {
                return false;
            }
            TickRows.extendOrInsert(connection, job.jobId(), state, lock.cursor(), ticks.first(), ticks.last(),
                    ticks.count(), reason);
            TickRows.moveCursor(connection, job.jobId(), ticks.last());
            return true;
        });
    }

    @Override
    public Map<Long, Boolean> beat(Map<Long, Held> runs, Duration lease) throws SQLException {
        Long[] ids = runs.keySet().toArray(Long[]::new);
        UUID[] nonces = new UUID[ids.length];
        @Nullable
        String[] progress = new @Nullable String[ids.length];
        for (int i = 0; i < ids.length; i++) {
            Held held = Objects.requireNonNull(runs.get(ids[i]));
            nonces[i] = held.nonce();
            progress[i] = held.progress();
        }
        return run("heartbeat", connection -> {
            // A row that is locked is being finished, by its own run or by a taker; it is left for the next beat.
            try (PreparedStatement beat = connection.prepareStatement("""
                    with mine as (
                        select * from unnest(?::bigint[], ?::uuid[], ?::text[]) as m (run_id, nonce, progress)
                    ), free as (
                        select r.run_id from run r join mine m using (run_id, nonce)
                        where r.state = 'running' and not r.handed_over for no key update of r skip locked
                    ), renewed as (
                        update run r set lease_until = clock_timestamp() + make_interval(secs => ?),
                            progress = coalesce(m.progress::jsonb, r.progress)
                        from free f join mine m using (run_id) where r.run_id = f.run_id
                        returning r.run_id
                    )
                    select m.run_id, n.run_id is not null,
                        exists (select from run r where r.run_id = m.run_id and r.nonce = m.nonce
                            and r.state = 'running' and not r.handed_over)
                    from mine m left join renewed n using (run_id)""")) {
                beat.setArray(1, connection.createArrayOf("bigint", ids));
                beat.setArray(2, connection.createArrayOf("uuid", nonces));
                beat.setArray(3, connection.createArrayOf("text", progress));
                beat.setDouble(4, lease.toMillis() / 1000.0);
                Map<Long, Boolean> alive = new HashMap<>();
                try (ResultSet row = beat.executeQuery()) {
                    while (row.next()) {
                        if (row.getBoolean(2) || !row.getBoolean(3)) {
                            alive.put(row.getLong(1), row.getBoolean(2));
                        }
                    }
                }
                return alive;
            }
        });
    }

    @Override
    public String finish(Claim run, End end, boolean endBackend) throws SQLException {
        return run("end of a run", connection -> {
            if (endBackend) {
                TakeOvers.endBackend(connection, run.runId(), run.nonce());
            }
            RunRows.finish(connection, run.runId(), run.nonce(), end, null);
            return RunRows.state(connection, run.runId());
        });
    }

    @Override
    public String fenced(Claim run, String reason) throws SQLException {
        return run("fenced run", connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    update run set state = 'fenced', reason = concat_ws('; ', reason, ?)
                    where run_id = ? and nonce = ? and state in ('abandoned', 'superseded')""")) {
                update.setString(1, reason);
                update.setLong(2, run.runId());
                update.setObject(3, run.nonce());
                Rows.one(update.executeUpdate(), "fencing of a run");
            }
            return RunRows.state(connection, run.runId());
        });
    }

    @Override
    public boolean giveBack(Claim run, boolean handedOver) throws SQLException {
        return run("run given back", connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    update run set lease_until = least(lease_until, clock_timestamp()), handed_over = ?,
                        nonce = gen_random_uuid()
                    where run_id = ? and nonce = ? and state = 'running'""")) {
                update.setBoolean(1, handedOver);
                update.setLong(2, run.runId());
                update.setObject(3, run.nonce());
                boolean done = Rows.one(update.executeUpdate(), "giving a run back");
                if (done) {
                    JobControl.wake(connection);
                }
                return done;
            }
        });
    }

    @Override
    public String state(Claim run) throws SQLException {
        return run("state of a run", connection -> RunRows.state(connection, run.runId()));
    }

    @Override
    public String settle(Claim run) throws SQLException {
        run("end of a lost back end", connection -> TakeOvers.endBackend(connection, run.runId(), run.nonce()));
        return run("look for a result", connection -> {
            JobLock.await(connection, run.jobId());
            return RunRows.state(connection, run.runId());
        });
    }

    private <T> T run(String what, TransactionBody<T, SQLException> body) throws SQLException {
        return database.inTransaction(what, LIMIT, body);
    }
}
