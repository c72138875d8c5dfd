package io.bellwether.lease;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.Test;

/** What every gate promises. Two gates stand for two processes. */
abstract class GateContract {
    static final Duration SOON = Duration.ofSeconds(10);

    abstract Gate one();

    abstract Gate other();

    /** Redis goes away, or comes back with what it held. */
    abstract void reachable(boolean now) throws Exception;

    /** Redis loses all it holds. */
    abstract void flush() throws Exception;

    static Gate.Pass enter(Gate gate, String job) throws Exception {
        Gate.Answer[] answer = new Gate.Answer[1];
        eventually("inside the gate of " + job, SOON, () -> {
            answer[0] = gate.tryEnter(job);
            return answer[0] instanceof Gate.Won;
        });
        return ((Gate.Won) answer[0]).pass();
    }

    @Test
    void tryEnter_free_isWonByOne() throws Exception {
        enter(one(), "a");
        assertThat(other().tryEnter("a")).isInstanceOf(Gate.Held.class);
        assertThat(one().tryEnter("a")).as("not even again by the same process").isInstanceOf(Gate.Held.class);
    }

    @Test
    void tryEnter_anotherJob_isIndependent() throws Exception {
        enter(one(), "a");
        enter(other(), "b");
    }

    @Test
    void leave_thenTryEnter_isWonByTheOther() throws Exception {
        enter(one(), "a").leave();
        enter(other(), "a");
    }

    @Test
    void leave_afterSomebodyElseEntered_leavesTheOtherInside() throws Exception {
        Gate.Pass late = enter(one(), "a");
        flush();
        enter(other(), "a");
        late.leave();
        enter(one(), "marker").leave();
        assertThat(one().tryEnter("a")).isInstanceOf(Gate.Held.class);
    }

    @Test
    void tryEnter_manyAtOnce_isWonByAtMostOne() throws Exception {
        enter(one(), "warm").leave();
        enter(other(), "warm").leave();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int round = 0; round < 20; round++) {
                String job = "race" + round;
                List<Callable<Gate.Answer>> tries = Collections.nCopies(4, List.of(one(), other())).stream()
                        .flatMap(List::stream).<Callable<Gate.Answer>>map(gate -> () -> gate.tryEnter(job)).toList();
                long won = 0;
                for (var answer : threads.invokeAll(tries)) {
                    won += answer.get() instanceof Gate.Won ? 1 : 0;
                }
                assertThat(won).isEqualTo(1);
            }
        }
    }

    @Test
    void tryEnter_unreachable_saysSoWithinTheDeadline() throws Exception {
        enter(one(), "a");
        reachable(false);
        for (int i = 0; i < 5; i++) {
            long begun = System.nanoTime();
            assertThat(one().tryEnter("b")).isInstanceOf(Gate.Unavailable.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(1_500));
        }
        assertThat(one().isUp()).isFalse();
    }

    @Test
    void tryEnter_reachableAgain_answersWithoutANewGate() throws Exception {
        enter(one(), "a");
        reachable(false);
        assertThat(one().tryEnter("b")).isInstanceOf(Gate.Unavailable.class);
        reachable(true);
        enter(one(), "b");
        assertThat(one().isUp()).isTrue();
    }

    @Test
    void leave_unreachable_throwsNothing() throws Exception {
        Gate.Pass pass = enter(one(), "a");
        reachable(false);
        pass.leave();
    }
}
