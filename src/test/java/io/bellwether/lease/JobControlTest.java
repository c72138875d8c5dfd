package io.bellwether.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.settings.Settings;
import io.bellwether.testing.TestPostgres;

/** What operators do to a job. */
class JobControlTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

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

    private void define(String schedule) throws SQLException {
        DemoJob.define(database, schedule, true);
    }

    private void execute(String sql) throws SQLException {
        DemoJob.execute(database, sql);
    }

    private JobRow job() throws SQLException {
        return ledger.look().getFirst();
    }

    @Test
    void define_scheduleChanged_countsWhatWasDue() throws Exception {
        execute("update job set tick_cursor = date_trunc('second', clock_timestamp()) - interval '10 s'");
        JobRow before = job();
        define("0 0 * * * *");
        JobRow after = job();
        assertThat(after.version()).isGreaterThan(before.version());
        assertThat(after.cursor()).isAfter(before.cursor().plusSeconds(9));
        assertThat(queries.runs("demo", 10, null)).singleElement().satisfies(row -> {
            assertThat(row.state()).isEqualTo("missed");
            assertThat(row.ticks()).isBetween(10, 12);
        });
        define("0 0 * * * *");
        assertThat(job().cursor()).as("nothing changed").isEqualTo(after.cursor());
    }

    // A change at the full minute dropped the tick of that minute, which the new schedule has too.
    @Test
    void define_ticksJustDueUnderBothSchedules_areLeftToBeRun() throws Exception {
        execute("update job set tick_cursor = date_trunc('second', clock_timestamp()) - interval '40 s'");
        Instant before = job().cursor();
        define("0-59 * * * * *");
        RunView missed = queries.runs("demo", 10, null).getFirst();
        assertThat(missed.state()).isEqualTo("missed");
        assertThat(missed.ticks()).as("those older than the grace").isBetween(9, 12);
        assertThat(job().cursor()).isBetween(before.plusSeconds(missed.ticks()),
                before.plusSeconds(missed.ticks() + 1L));
        assertThat(ledger.claim(job(), before.plusSeconds(missed.ticks() + 1L), LedgerContract.ticket()))
                .isInstanceOf(ClaimOutcome.Won.class);
    }

    @Test
    void define_scheduleChanged_moreIsDueThanIsCounted_saysAtLeast() throws Exception {
        database.<Long, SQLException>inTransaction("define", LIMIT, c -> JobDefinitions.upsert(c, new JobDefinition(
                "demo", "refresh", null, "0 0 * * * *", "UTC", "coalesce", Duration.ofDays(1), Duration.ofMinutes(1),
                true), 5));
        assertThat(queries.runs("demo", 10, null)).singleElement().satisfies(row -> {
            assertThat(row.ticks()).isEqualTo(5);
            assertThat(row.reason()).contains("at least");
        });
    }

    @Test
    void define_misfireWindow_isWhatLooksSee() throws Exception {
        database.<Long, RuntimeException>inTransaction("define", LIMIT, c -> JobControl.define(c, new JobDefinition(
                "demo", "refresh", null, "* * * * * *", "UTC", "coalesce", Duration.ofHours(2), Duration.ofMinutes(1),
                true)));
        assertThat(job().misfireWindow()).isEqualTo(Duration.ofHours(2));
        // An interval without end is no number: every look at any job failed, as if the database were away.
        execute("update job set misfire_window = 'infinity'");
        assertThat(job().misfireWindow()).isGreaterThan(Duration.ofDays(36_500));
    }

    @Test
    void define_badSchedule_isRefused() {
        assertThatThrownBy(() -> define("0 0 0 31 2 *")).isInstanceOf(Fault.class)
                .hasMessageContaining("never fires");
    }

    // The cursor moved to an instant after that of the count: a tick between the two was in no row.
    @Test
    void define_otherScheduleAgainAndAgain_everyTickUpToTheCursorIsCounted() throws Exception {
        execute("update job set tick_cursor = clock_timestamp()");
        Instant first = job().cursor();
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        while (System.nanoTime() - end < 0) {
            define("0 0 0 1 1 *");
            execute("update job set schedule = '* * * * * *'");
        }
        define("0 0 0 1 1 *");
        long counted = queries.runs("demo", 1000, null).stream().mapToLong(RunView::ticks).sum();
        assertThat(counted).isEqualTo(job().cursor().getEpochSecond() - first.getEpochSecond()).isGreaterThan(1);
    }

    @Test
    void enqueue_many_haveInstantsOfTheirOwn_upToALimit() throws Exception {
        List<RunView> runs = new ArrayList<>();
        for (int i = 0; i < JobControl.MAX_QUEUED; i++) {
            runs.add(control.enqueue("demo", null, null, null));
        }
        assertThat(runs).extracting(RunView::scheduledAt).doesNotHaveDuplicates().isSorted();
        assertThat(runs).noneMatch(run -> run.scheduledAt().equals(run.scheduledAt().truncatedTo(ChronoUnit.SECONDS)));
        assertThatThrownBy(() -> control.enqueue("demo", null, null, null)).isInstanceOf(Fault.class);
        assertThatThrownBy(() -> control.enqueue("nobody", null, null, null)).isInstanceOf(Fault.class);
    }

    @Test
    void enqueue_sameKeyForSomethingElse_isRefusedAndNamesTheRun() throws Exception {
        RunView rollback = control.enqueue("demo", "key", "{\"rollback\":5}", null);
        assertThat(control.enqueue("demo", "key", "{ \"rollback\" : 5 }", null).id()).isEqualTo(rollback.id());
        for (String other : new String[]{"{\"rollback\":6}", null}) {
            assertThatThrownBy(() -> control.enqueue("demo", "key", other, null)).isInstanceOf(Fault.class)
                    .hasMessageContaining("'key'").hasMessageContaining("{\"rollback\": 5}")
                    .hasMessageContaining("run " + rollback.id());
        }
        assertThat(queries.runs("demo", 10, null)).hasSize(1);
    }

    @Test
    void ensure_thereAlready_leavesItAsItIs() throws Exception {
        control.pause("demo", null, "an operator");
        JobRow before = job();
        JobControl.ensure(database, new JobDefinition("demo", "retention", null, "0 0 * * * *", "UTC", "skip",
                Duration.ofDays(1), Duration.ofMinutes(1), true));
        assertThat(job()).isEqualTo(before);
    }

    @Test
    void resume_neverPaused_pausesNothing() throws Exception {
        // least() ignores NULL: a resume set the end of a pause that never was, and all due ticks became "paused".
        control.resume("demo");
        assertThat(job().pausedUntil()).isNull();
        assertThat(ledger.claim(job(), LedgerContract.t(1), LedgerContract.ticket()))
                .isInstanceOf(ClaimOutcome.Won.class);
    }

    @Test
    void resume_pauseOverAlready_leavesItsEnd() throws Exception {
        control.pause("demo", LedgerContract.t(1), "a test");
        control.resume("demo");
        assertThat(job().pausedUntil()).isEqualTo(LedgerContract.t(1));
        control.pause("demo", Instant.MAX, "a test");
        control.resume("demo");
        assertThat(job().pausedUntil()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    }

    @Test
    void job_paused_itsNextTickIsBeyondThePause() throws Exception {
        Instant until = Instant.now().plus(Duration.ofDays(40)).truncatedTo(ChronoUnit.SECONDS);
        control.pause("demo", until, "moving");
        assertThat(queries.job("demo").nextTick()).isNotNull().isAfter(until);
        control.pause("demo", null, "moving");
        assertThat(queries.job("demo").nextTick()).isNull();
        control.resume("demo");
        assertThat(queries.job("demo").nextTick()).isNotNull().isBefore(until);
    }
}
