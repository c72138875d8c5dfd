package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

import org.junit.jupiter.api.Test;

class PaceTest {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long askedHowOften;

    @Test
    void done_whileReadersAskAndProcessorsAreShort_restsLongerThanItWorks() {
        Pace pace = new Pace(() -> true);
        always(pace, Pace.LATE.plusNanos(1));
        assertThat(pace.rest()).isEqualTo(Pace.LONGEST);
        long wall = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();

        Pace.Steps steps = pace.steps();
        spin(Pace.WORK.toNanos());
        steps.done();

        assertThat(System.nanoTime() - wall).isGreaterThan(Pace.WORK.plus(Pace.LONGEST).toNanos() * 9 / 10);
        assertThat(threads.getCurrentThreadCpuTime() - cpu).isLessThan(Pace.LONGEST.toNanos());
    }

    @Test
    void woken_alwaysInTime_restsShorterAndShorter() {
        Pace pace = new Pace(() -> true);
        always(pace, Pace.LATE.plusNanos(1));

        pace.woken(Pace.LATE);
        Duration once = pace.rest();
        always(pace, Duration.ZERO);

        assertThat(once).isLessThan(Pace.LONGEST).isGreaterThan(Pace.LONGEST.dividedBy(2));
        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST);
    }

    @Test
    void woken_oneInTenLate_staysLongAndOneInAHundredShort() {
        Pace pace = new Pace(() -> true);

        assertThat(restAfter(pace, 10)).isGreaterThan(Pace.LONGEST.dividedBy(2));
        assertThat(restAfter(pace, 100)).isLessThan(Pace.SHORTEST.multipliedBy(3));
    }

    @Test
    void done_whileNobodyAsks_looksOncePerStretchAndGoesOn() {
        Pace pace = new Pace(this::nobody);
        always(pace, Duration.ZERO);
        long wall = System.nanoTime();

        Pace.Steps steps = pace.steps();
        for (int i = 0; i < 5_000; i++) {
            spin(10_000);
            steps.done();
        }

        long stretches = (System.nanoTime() - wall) / Pace.LONG_WORK.toNanos();
        assertThat(askedHowOften).isBetween(1L, stretches);
        assertThat(pace.rest()).isEqualTo(Pace.SHORTEST);
    }

    @Test
    void small_looksAtTheClockOnceForMany() {
        Pace pace = new Pace(this::nobody);
        always(pace, Duration.ZERO);
        Pace.Steps steps = pace.steps();
        spin(Pace.LONG_WORK.toNanos());

        for (int i = 0; i < 31; i++) {
            steps.small();
        }
        assertThat(askedHowOften).isZero();
        steps.small();

        assertThat(askedHowOften).isOne();
    }

    @Test
    void done_interrupted_doesNotRestAndStaysInterrupted() {
        Pace.Steps steps = new Pace(() -> true).steps();
        spin(Pace.LONG_WORK.toNanos());

        Thread.currentThread().interrupt();
        steps.done();

        assertThat(Thread.interrupted()).isTrue();
    }

    private boolean nobody() {
        askedHowOften++;
        return false;
    }

    private static void always(Pace pace, Duration late) {
        for (int i = 0; i < 200; i++) {
            pace.woken(late);
        }
    }

    /** Right before the next late one. */
    private static Duration restAfter(Pace pace, int oneInSoMany) {
        for (int i = 0; i < 100; i++) {
            pace.woken(Pace.LATE.plusNanos(1));
            for (int k = 1; k < oneInSoMany; k++) {
                pace.woken(Duration.ZERO);
            }
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
