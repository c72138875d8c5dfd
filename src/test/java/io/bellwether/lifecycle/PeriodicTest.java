package io.bellwether.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeriodicTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Periodic> started = new ArrayList<>();
    private final LinkedBlockingQueue<Integer> passes = new LinkedBlockingQueue<>();

    @AfterEach
    void stopAll() {
        started.forEach(periodic -> periodic.stop(Duration.ofSeconds(5)));
    }

    @Test
    void pass_thatThrowsAnything_isFollowedByTheNext() throws Exception {
        // A periodic body that one exception ends silently is the classic hole; an Error must not end it either.
        int[] count = {0};
        Periodic periodic = start(Duration.ofMillis(1), () -> {
            passes.add(++count[0]);
            return switch (count[0]) {
                case 1 -> throw new IllegalStateException("one");
                case 2 -> throw new StackOverflowError("two");
                case 3 -> throw new OutOfMemoryError("three");
                case 4 -> throw new Exception("four");
                case 5 -> throw new InterruptedException("five, though nobody asked to stop");
                default -> HOUR;
            };
        });
        for (int i = 1; i <= 6; i++) {
            assertThat(nextPass()).isEqualTo(i);
        }
        assertThat(periodic.failures()).as("an interruption is no failure").isEqualTo(4);
    }

    @Test
    void nudge_inAPause_startsThePassAtOnce() throws Exception {
        Periodic periodic = start(HOUR, counting());
        assertThat(nextPass()).isEqualTo(1);
        periodic.nudge();
        assertThat(nextPass()).isEqualTo(2);
    }

    @Test
    void nudge_duringAPass_isNotLost() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        int[] count = {0};
        Periodic periodic = start(HOUR, () -> {
            passes.add(++count[0]);
            inside.countDown();
            go.await();
            return HOUR;
        });
        inside.await();
        periodic.nudge();
        go.countDown();
        assertThat(nextPass()).isEqualTo(1);
        assertThat(nextPass()).isEqualTo(2);
    }

    @Test
    void stop_inAPause_endsTheThreadAndMayComeTwice() throws Exception {
        Thread[] thread = new Thread[1];
        Periodic periodic = start(HOUR, () -> {
            thread[0] = Thread.currentThread();
            passes.add(1);
            return HOUR;
        });
        nextPass();
        periodic.stop(Duration.ofSeconds(5));
        assertThat(thread[0].isAlive()).isFalse();
        periodic.stop(Duration.ofSeconds(5));
    }

    @Test
    void stop_pastTheGrace_interruptsThePass() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        Periodic periodic = start(HOUR, () -> {
            passes.add(1);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
            return HOUR;
        });
        nextPass();
        periodic.stop(Duration.ofMillis(10));
        assertThat(interrupted.await(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void stop_beforeStart_doesNothing() {
        new Periodic("never", HOUR, () -> HOUR).stop(Duration.ZERO);
    }

    @Test
    void stop_fromItsOwnPass_doesNotWaitForItself() throws Exception {
        Periodic[] self = new Periodic[1];
        CountDownLatch done = new CountDownLatch(1);
        self[0] = new Periodic("self", HOUR, () -> {
            self[0].stop(HOUR);
            done.countDown();
            return HOUR;
        });
        started.add(self[0]);
        self[0].start();
        assertThat(done.await(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sinceLastSuccess_afterASuccess_isShort() throws Exception {
        Periodic periodic = start(HOUR, counting());
        nextPass();
        periodic.nudge();
        nextPass();
        assertThat(periodic.sinceLastSuccess()).isLessThan(Duration.ofSeconds(30))
                .isGreaterThanOrEqualTo(Duration.ZERO);
    }

    private Periodic.Pass counting() {
        int[] count = {0};
        return () -> {
            passes.add(++count[0]);
            return HOUR;
        };
    }

    private Periodic start(Duration fallback, Periodic.Pass pass) {
        Periodic periodic = new Periodic("test-periodic", fallback, pass);
        started.add(periodic);
        periodic.start();
        return periodic;
    }

    private int nextPass() throws InterruptedException {
        Integer pass = passes.poll(10, TimeUnit.SECONDS);
        assertThat(pass).as("a pass within ten seconds").isNotNull();
        return pass;
    }
}
