package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.settings.Settings;
import io.bellwether.testing.Eventually;
import io.bellwether.testing.TestPostgres;

class JobLedgerTest extends LedgerContract {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int THREADS = 8;

    /** Shared by the tests, which empty it: a database each would cost more than all of them together. */
    private static final Settings.Database SETTINGS = TestPostgres.freshDatabase();

    private final Database database = TestPostgres.open(SETTINGS);
    private final JobLedger ledger = new JobLedger(database);
    private final JobControl control = new JobControl(database);
    private final JobQueries queries = new JobQueries(database);

    @BeforeEach
    void define() throws SQLException {
        DemoJob.alone(database);
    }

    @AfterEach
    void close() {
        database.stop(Duration.ZERO);
    }

    private void execute(String sql) throws SQLException {
        DemoJob.execute(database, sql);
    }

    @Override
    Ledger ledger() {
        return ledger;
    }

    @Override
    void endLease(long runId) throws SQLException {
        execute("update run set lease_until = clock_timestamp() - interval '1 minute' where run_id = " + runId);
    }

    @Override
    void pauseUntil(Instant until) throws SQLException {
        control.pause("demo", until, "a test");
    }

    @Override
    void disable() throws SQLException {
        execute("update job set enabled = false");
    }

    @Override
    long enqueue() throws SQLException {
        return control.enqueue("demo", null, null, null).id();
    }

    @Override
    boolean passesFence(Claim run) throws Exception {
        try {
            return database.<Boolean, LeaseLostException>inTransaction("fence", LIMIT, connection -> {
                new LiveRun(run, "me", System.nanoTime(), () -> {}).fence(connection);
                return true;
            });
        } catch (LeaseLostException e) {
            return false;
        }
    }

    @Override
    List<String> states(Instant tick) throws SQLException {
        try (Connection connection = database.dedicatedConnection("test");
                PreparedStatement query = connection
                        .prepareStatement("select state from run where scheduled_at = ? order by attempt")) {
            Rows.set(query, 1, tick);
            List<String> states = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    states.add(row.getString(1));
                }
            }
            return states;
        }
    }

    /** Does the same at once on all threads, until none is told to try again. */
    private List<ClaimOutcome> race(ExecutorService threads, Function<Integer, ClaimOutcome> attempt) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Callable<ClaimOutcome>> attempts = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            attempts.add(() -> {
                start.await();
                ClaimOutcome outcome;
                do {
                    outcome = attempt.apply(thread);
                } while (outcome instanceof ClaimOutcome.Busy);
                return outcome;
            });
        }
        List<ClaimOutcome> outcomes = new ArrayList<>();
        for (Future<ClaimOutcome> future : threads.invokeAll(attempts)) {
            outcomes.add(future.get());
        }
        return outcomes;
    }

    private static Claim onlyWinner(List<ClaimOutcome> outcomes) {
        List<Claim> won = outcomes.stream().filter(ClaimOutcome.Won.class::isInstance)
                .map(outcome -> ((ClaimOutcome.Won) outcome).claim()).toList();
        assertThat(won).as("winners among %s", outcomes).hasSize(1);
        return won.getFirst();
    }

    @Test
    void claim_eightThreadsTwoHundredTimes_exactlyOneWins_andNothingIsAnError() throws Exception {
        long fence = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 1; round <= 200; round++) {
                JobRow seen = job();
                Instant tick = t(round);
                Claim won = onlyWinner(race(threads, thread -> claim(ledger, seen, tick)));
                assertThat(won.fence()).isEqualTo(++fence);
                assertThat(states(tick)).containsExactly("running");
                end(won, "unchanged");
            }
        }
    }

    /** A lost race is an answer; an error here would be an ERROR in PostgreSQL's log, too. */
    private static ClaimOutcome claim(Ledger ledger, JobRow job, Instant tick) {
        try {
            return ledger.claim(job, tick, ticket());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void takeOver_eightThreads_exactlyOneWins() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 1; round <= 50; round++) {
                Claim dead = win(t(round));
                endLease(dead.runId());
                JobRow seen = job();
                Claim won = onlyWinner(race(threads, thread -> {
                    try {
                        return ledger.takeOver(seen, dead.runId(), false, ticket());
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }));
                assertThat(states(t(round))).containsExactly("abandoned", "running");
                end(won, "unchanged");
            }
        }
    }

    @Test
    void publishAgainstTakeOver_exactlyOneOfThem() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int round = 1; round <= 100; round++) {
                Claim old = win(t(round));
                endLease(old.runId());
                JobRow seen = job();
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> publish = threads.submit(() -> {
                    start.await();
                    return publishes(old);
                });
                Future<ClaimOutcome> taken = threads.submit(() -> {
                    start.await();
                    return ledger.takeOver(seen, old.runId(), false, ticket());
                });
                boolean effect = publish.get();
                if (taken.get() instanceof ClaimOutcome.Won(Claim second)) {
                    assertThat(effect).as("both the old and the new run").isFalse();
                    end(second, "unchanged");
                } else if (!effect) {
                    ledger.finish(old, Ledger.End.of("failed", "neither"), false);
                }
                assertThat(states(t(round))).doesNotContain("running");
            }
        }
    }

    private boolean publishes(Claim claim) throws SQLException {
        LiveRun run = new LiveRun(claim, "me", System.nanoTime(), () -> {});
        try {
            return database.<Boolean, LeaseLostException>inTransaction("publish", LIMIT, connection -> {
                run.fence(connection);
                run.finish(connection, RunResult.published(1, 1, 0, 0));
                return true;
            });
        } catch (LeaseLostException e) {
            return false;
        }
    }

    @Test
    void takeOver_oldTransactionLeftOpen_endsIt() throws Exception {
        // A leader that was stopped by SIGSTOP between fence and COMMIT holds the job's row.
        Claim old = win(t(1));
        LiveRun run = new LiveRun(old, "me", System.nanoTime(), () -> {});
        try (Connection stuck = database.dedicatedConnection("stuck")) {
            run.adopt(stuck);
            stuck.setAutoCommit(false);
            run.fence(stuck);
            endLeaseFromElsewhere(old);
            JobRow seen = job();
            ClaimOutcome[] outcome = new ClaimOutcome[1];
            Eventually.eventually("taken over", Duration.ofSeconds(10), () -> {
                outcome[0] = ledger.takeOver(seen, old.runId(), false, ticket());
                return outcome[0] instanceof ClaimOutcome.Won;
            });
            assertThatThrownBy(() -> {
                run.finish(stuck, RunResult.published(1, 1, 0, 0));
                stuck.commit();
            }).isInstanceOf(SQLException.class);
        }
        assertThat(states(t(1))).containsExactly("abandoned", "running");
    }

    private void endLeaseFromElsewhere(Claim run) throws SQLException {
        endLease(run.runId());
    }

    @Test
    void forget_oldRuns_keepsTheLastSuccessAndWhatIsNew() throws Exception {
        end(win(t(1)), "unchanged");
        end(win(t(2)), "unchanged");
        end(win(t(3)), "failed");
        execute("update run set finished_at = finished_at - interval '8 days'");
        end(win(t(4)), "failed");
        assertThat(database.<Integer, RuntimeException>inTransaction("forget", LIMIT,
                c -> RunHistory.forget(c, Duration.ofDays(7), 100))).isEqualTo(2);
        assertThat(queries.runs("demo", 10, null)).extracting(RunView::scheduledAt).containsExactly(t(4), t(2));
    }

    @Test
    void jobs_longHistory_readsAFewPages() throws Exception {
        // Whoever runs was looked for by an order that no index has: each list of the jobs sorted all runs.
        long finished = win(t(1)).runId();
        execute("update run set state = 'unchanged', finished_at = claimed_at where run_id = " + finished);
        execute("""
                insert into run (job_id, kind, scheduled_at, state, process, finished_at)
                select job_id, 'cron', timestamptz '2020-01-01' + i * interval '1 minute', 'failed', 'old', now()
                from job, generate_series(1, 120000) i""");
        execute("analyze run");
        try (Connection connection = database.dedicatedConnection("test");
                PreparedStatement explain = connection
                        .prepareStatement("explain (analyze, buffers, timing off) " + JobQueries.JOBS)) {
            explain.setString(1, null);
            explain.setString(2, null);
            List<String> plan = new ArrayList<>();
            try (ResultSet row = explain.executeQuery()) {
                while (row.next()) {
                    plan.add(row.getString(1));
                }
            }
            assertThat(String.join("\n", plan)).doesNotContain("Seq Scan on run");
            Matcher pages = Pattern.compile("shared hit=(\\d+)(?: read=(\\d+))?").matcher(String.join("\n", plan));
            assertThat(pages.find()).as("%s", plan).isTrue();
            assertThat(Integer.parseInt(pages.group(1))
                    + (pages.group(2) == null ? 0 : Integer.parseInt(pages.group(2)))).as("%s", plan).isLessThan(100);
        }
        assertThat(queries.job("demo").leader()).isEqualTo("old");
    }

    @Test
    void runs_page_isNewestFirst() throws Exception {
        for (int i = 1; i <= 5; i++) {
            end(win(t(i)), "unchanged");
        }
        List<RunView> page = queries.runs("demo", 2, null);
        assertThat(page).extracting(RunView::scheduledAt).containsExactly(t(5), t(4));
        assertThat(queries.runs("demo", 10, page.getLast().id())).extracting(RunView::scheduledAt)
                .containsExactly(t(3), t(2), t(1));
        JobView job = queries.job("demo");
        assertThat(job.leader()).isEqualTo("me");
        assertThat(job.running()).isNull();
        assertThat(job.lastSuccess()).isEqualTo(page.getFirst());
        assertThat(job.nextTick()).isNotNull();
        assertThat(Collections.emptyList()).isEqualTo(queries.runs("demo", 10, 1L));
    }

    // It was recorded as overlapped by a run that began after it.
    @Test
    void overlapped_byAnotherRunThanTheOneSeen_isNotRecorded() throws Exception {
        Claim first = win(t(1));
        JobRow seen = job();
        end(first, "unchanged");
        control.enqueue("demo", null, null, null);
        JobRow queued = job();
        ClaimOutcome outcome = ledger.claimQueued(queued, Objects.requireNonNull(queued.queuedId()), ticket());
        assertThat(outcome).isInstanceOf(ClaimOutcome.Won.class);
        assertThat(ledger.overlapped(seen, List.of(t(2)))).isFalse();
        assertThat(ledger.overlapped(job(), List.of(t(2)))).isTrue();
    }
}
