package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long LATE = Pace.LATE.toNanos() + 1;
    private final Pace pace = new Pace(this::asked);
    private boolean readers = true;
    private long askedHowOften;
    private long now = System.nanoTime();

    @Test
    void done_whileReadersAskAndProcessorsAreShort_restsLongerThanItWorks() {
        wake(1, 0);
        wake(400, LATE);
        assertThat(pace.rest()).isEqualTo(Pace.LONGEST);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long wall = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();

        Pace.Steps steps = pace.steps(() -> false);
        spin(Pace.WORK.toNanos());
        steps.done();

        assertThat(System.nanoTime() - wall).isGreaterThan(Pace.WORK.plus(Pace.LONGEST).toNanos() * 9 / 10);
        assertThat(threads.getCurrentThreadCpuTime() - cpu).isLessThan(Pace.LONGEST.toNanos());
    }

    @Test
    void woken_alwaysInTime_restsShorterAndShorter() {
        wake(1, 0);
        wake(400, LATE);

        wake(1, 0);
        Duration once = pace.rest();
        wake(400, 0);

        assertThat(once).isLessThan(Pace.LONGEST).isGreaterThan(Pace.LONGEST.dividedBy(2));
        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST);
    }

    @Test
    void woken_oneInTenLate_staysLongAndOneInAHundredShort() {
        wake(1, 0);

        assertThat(restAfter(10)).isGreaterThan(Pace.LONGEST.dividedBy(2));
        assertThat(restAfter(100)).isLessThan(Pace.SHORTEST.multipliedBy(3));
    }

    @Test
    void woken_byAClockThatIsAlwaysLate_countsFromTheMostPunctual() {
        wake(400, 10 * LATE);
        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST);

        wake(1, 11 * LATE + 1);

        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST.multipliedBy(2));
    }

    @Test
    void woken_severalThreadsLateAtOnce_countOnce() {
        wake(400, 0);

        now += Pace.LONGEST.toNanos();
        for (int thread = 0; thread < 5; thread++) {
            pace.woken(LATE, now);
        }

        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST.multipliedBy(2));
    }

    @Test
    void woken_tooEarly_countsNeitherWay() {
        wake(1, -1);

        assertThat(pace.rest()).isEqualTo(Pace.FIRST);
    }

    @Test
    void done_whileNobodyAsks_looksOncePerStretchAndGoesOn() {
        readers = false;
        wake(400, 0);
        long wall = System.nanoTime();

        Pace.Steps steps = pace.steps(() -> false);
        for (int i = 0; i < 5_000; i++) {
            spin(10_000);
            steps.done();
        }

        long stretches = (System.nanoTime() - wall) / Pace.LONG_WORK.toNanos();
        assertThat(askedHowOften).isBetween(1L, stretches);
        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST);
    }

    @Test
    void done_runThatHurries_doesNotRest() {
        wake(1, 0);
        Duration before = pace.rest();

        Pace.Steps steps = pace.steps(() -> true);
        for (int i = 0; i < 20; i++) {
            spin(Pace.LONG_WORK.toNanos());
            steps.done();
        }

        assertThat(pace.rest()).as("no rest ended").isEqualTo(before);
    }

    @Test
    void row_looksAtTheClockOnceForManySmallOnesAndForEachLargeOne() {
        readers = false;
        wake(400, 0);
        Pace.Steps steps = pace.steps(() -> false);
        spin(Pace.LONG_WORK.toNanos());

        for (int i = 0; i < 31; i++) {
            steps.row(0);
        }
        assertThat(askedHowOften).isZero();
        steps.row(0);
        assertThat(askedHowOften).isOne();
        spin(Pace.LONG_WORK.toNanos());
        steps.row(1 << 20);

        assertThat(askedHowOften).isEqualTo(2);
    }

    @Test
    void done_interrupted_staysInterruptedAndCountsNeitherWay() {
        wake(1, 0);
        wake(400, LATE);
        Pace.Steps steps = pace.steps(() -> false);
        spin(Pace.LONG_WORK.toNanos());

        Thread.currentThread().interrupt();
        steps.done();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(pace.rest()).isEqualTo(Pace.LONGEST);
    }

    private boolean asked() {
        askedHowOften++;
        return readers;
    }

    private void wake(int times, long overNanos) {
        for (int i = 0; i < times; i++) {
            now += Pace.LONGEST.toNanos();
            pace.woken(overNanos, now);
        }
    }

    /** Right before the next late one. */
    private Duration restAfter(int oneInSoMany) {
        for (int i = 0; i < 100; i++) {
            wake(1, LATE);
            wake(oneInSoMany - 1, 0);
        }
        return pace.rest();
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
