package io.bellwether.catalog;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LooksTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(10);

    private final AtomicInteger begun = new AtomicInteger();
    private final Semaphore mayEnd = new Semaphore(0);
    private final BlockingQueue<Boolean> told = new LinkedBlockingQueue<>();
    private volatile boolean fails;
    private Looks looks = looks(Looks.GAP);

    private Looks looks(Duration gap) {
        return new Looks(() -> {
            begun.incrementAndGet();
            mayEnd.acquire();
            if (fails) {
                throw new IOException("nothing to be seen");
            }
        }, gap);
    }

    @AfterEach
    void stop() {
        mayEnd.release(1_000_000);
        looks.stop(SOON);
    }

    private void join(int waiters) {
        for (int i = 0; i < waiters; i++) {
            looks.join(told::add, Runnable::run);
        }
    }

    private void awaitBegun(int count) throws Exception {
        eventually(count + " looks began", SOON, () -> begun.get() == count);
    }

    private void assertTold(int count, boolean saw) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            assertThat(told.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(saw);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void isAskedWithin_tellsWhetherAnybodyAskedLately() throws Exception {
        looks.start();
        mayEnd.release(1_000);
        looks.nudge();
        assertThat(looks.isAskedWithin(SOON)).isFalse();

        looks.join(SOON);

        assertThat(looks.isAskedWithin(SOON)).isTrue();
        assertThat(looks.isAskedWithin(Duration.ZERO.minusNanos(1))).isFalse();
    }

    @Test
    void join_whileALookIsUnderWay_isToldOfTheNextOneWithAllOthers() throws Exception {
        looks.start();
        awaitBegun(1);
        join(300);
        mayEnd.release();
        awaitBegun(2);
        assertThat(told).isEmpty();
        mayEnd.release();
        assertTold(300, true);
    }

    @Test
    void join_byTwoExecutors_eachTellsItsOwnInOneTask() throws Exception {
        Queue<String> tasks = new ConcurrentLinkedQueue<>();
        Executor one = task -> run("one", task, tasks);
        Executor other = task -> run("other", task, tasks);
        looks.start();
        awaitBegun(1);
        for (int i = 0; i < 100; i++) {
            looks.join(told::add, i % 3 == 0 ? one : other);
        }
        mayEnd.release();
        awaitBegun(2);
        mayEnd.release();
        assertTold(100, true);
        assertThat(tasks).containsExactlyInAnyOrder("one", "other");
    }

    private static void run(String executor, Runnable task, Queue<String> tasks) {
        tasks.add(executor);
        task.run();
    }

    @Test
    void join_asManyAsAreWorthALook_doNotWaitForTheClock() throws Exception {
        looks = looks(NEVER);
        looks.start();
        awaitBegun(1);
        mayEnd.release();
        join(Looks.FEWEST - 1);
        assertThat(begun).hasValue(1);
        assertThat(told).isEmpty();
        join(1);
        awaitBegun(2);
        join(1_000);
        mayEnd.release();
        assertTold(Looks.FEWEST, true);
        awaitBegun(3);
        mayEnd.release();
        assertTold(1_000, true);
        // The next one waits for as many as the last one served, but for no more than are enough.
        join(Looks.ENOUGH - 1);
        assertThat(begun).hasValue(3);
        join(1);
        awaitBegun(4);
        mayEnd.release();
        assertTold(Looks.ENOUGH, true);
    }

    @Test
    void join_theLookFails_isToldAndSoIsWhoCameMeanwhile() throws Exception {
        looks.start();
        awaitBegun(1);
        join(3);
        mayEnd.release();
        awaitBegun(2);
        join(2);
        fails = true;
        mayEnd.release();
        assertTold(5, false);
        // At once, and to everybody until it sees again.
        looks.join(told::add, Runnable::run);
        assertThat(told.poll()).isFalse();
        assertThat(looks.join()).isFalse();
        fails = false;
        mayEnd.release(1_000);
        eventually("it sees again", SOON, () -> looks.join());
        join(1);
        assertTold(1, true);
    }

    @Test
    void join_theLookHangs_goesWithout() throws Exception {
        looks.start();
        awaitBegun(1);
        long joined = System.nanoTime();
        join(3);
        assertTold(3, false);
        assertThat(Duration.ofNanos(System.nanoTime() - joined)).isLessThan(Looks.PATIENCE.multipliedBy(3));
        looks.join(told::add, Runnable::run);
        assertThat(told.poll()).isFalse();
    }

    @Test
    void stop_whileSomebodyWaits_isTold() throws Exception {
        looks = looks(NEVER);
        looks.start();
        awaitBegun(1);
        mayEnd.release();
        join(3);
        looks.stop(SOON);
        assertTold(3, false);
        looks.join(told::add, Runnable::run);
        assertThat(told.poll()).isFalse();
    }
}
