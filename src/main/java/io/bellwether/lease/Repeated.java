package io.bellwether.lease;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Asks the database again and again while it is away: one that restarts answers neither at once nor never. Stateless. */
final class Repeated {
    private static final Duration AGAIN = Duration.ofMillis(200);

    private Repeated() {}

    /** What is asked. */
    @FunctionalInterface
    interface Question<T> {
        T ask() throws SQLException;
    }

    /**
     * The answer, as soon as there is one.
     *
     * @param limit for how long it is asked; looked at anew each time
     * @throws SQLException the last one, when the time is over
     */
    static <T> T ask(Supplier<Duration> limit, Question<T> question) throws SQLException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return question.ask();
            } catch (SQLException e) {
                if (System.nanoTime() - begun > limit.get().toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(AGAIN.toNanos());
            }
        }
    }
}
