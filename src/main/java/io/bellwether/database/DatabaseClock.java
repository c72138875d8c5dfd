package io.bellwether.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The database's clock, as seen from here: the local clock plus an offset sampled now and then. Thread safe.
 *
 * <p>Between two samples it moves with the monotonic clock of the JVM, so that a local clock that is set forward or back
 * moves no tick (the offset would be wrong until the next sample otherwise).
 */
public final class DatabaseClock implements InstantSource {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /**
     * A sample that took longer says little: the answer may have come at either end of it, or this process was paused
     * with the answer in hand. The last one is better, unless there is none.
     */
    static final Duration TOO_LONG = Duration.ofSeconds(1);

    private record Sample(Instant database, long nanos, Duration offset, Duration roundTrip, boolean fromDatabase) {}

    private final InstantSource local;
    private final AtomicReference<Sample> sample;

    /**
     * A clock that follows the local one until the first sample.
     *
     * @param local the local wall clock, skew for tests included
     */
    public DatabaseClock(InstantSource local) {
        this.local = local;
        this.sample = new AtomicReference<>(
                new Sample(local.instant(), System.nanoTime(), Duration.ZERO, Duration.ZERO, false));
    }

    /**
     * Asks the database for its time. The half of the round trip is taken for the way back (Cristian, 1989).
     *
     * <p>A sample that took over a second is dropped when there is an earlier one.
     *
     * @throws SQLException if the database is away; the clock then goes on from the last sample
     */
    public void sample(Database database) throws SQLException {
        database.inTransaction("clock sample", LIMIT, connection -> {
            read(connection);
            return true;
        });
    }

    private void read(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select clock_timestamp()")) {
            long before = System.nanoTime();
            try (ResultSet row = query.executeQuery()) {
                row.next();
                Instant there = row.getObject(1, OffsetDateTime.class).toInstant();
                Instant here = local.instant();
                take(there, here, before, System.nanoTime());
            }
        }
    }

    /** Takes a sample, if it is worth it: what the database said, and the local clocks around its answer. */
    void take(Instant said, Instant here, long before, long after) {
        Duration half = Duration.ofNanos((after - before) / 2);
        if (half.multipliedBy(2).compareTo(TOO_LONG) > 0 && isSampled()) {
            return;
        }
        Instant there = said.plus(half);
        sample.set(new Sample(there, after, Duration.between(here, there), half.multipliedBy(2), true));
    }

    /** Now, by the database's clock as far as known. */
    @Override
    public Instant instant() {
        Sample last = sample.get();
        return last.database().plusNanos(System.nanoTime() - last.nanos());
    }

    /** Whether the database was ever asked. */
    public boolean isSampled() {
        return sample.get().fromDatabase();
    }

    /** The database's time less the local one, at the last sample. */
    public Duration offset() {
        return sample.get().offset();
    }
}
