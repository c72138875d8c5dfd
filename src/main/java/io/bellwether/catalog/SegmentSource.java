package io.bellwether.catalog;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.bellwether.database.Database;
import io.bellwether.policy.Sha256;

/** Where a {@link SegmentStore} has its segments from. Thread safe. */
@FunctionalInterface
public interface SegmentSource {
    /**
     * The stored bytes, or nothing when there is no segment of that name (any more).
     *
     * @throws SQLException if the database is away
     */
    Optional<byte[]> fetch(Sha256 sha256) throws SQLException;

    /**
     * As {@link #fetch}, of several at once; what there is not is missing in the answer.
     *
     * @throws SQLException if the database is away
     */
    default Map<Sha256, byte[]> fetchAll(List<Sha256> names) throws SQLException {
        Map<Sha256, byte[]> found = new HashMap<>();
        for (Sha256 name : names) {
            fetch(name).ifPresent(content -> found.put(name, content));
        }
        return found;
    }

    /** Segments as the database has them. */
    static SegmentSource of(Database database) {
        Duration limit = Duration.ofSeconds(20);
        return new SegmentSource() {
            @Override
            public Optional<byte[]> fetch(Sha256 sha256) throws SQLException {
                return database.inTransaction("fetch a segment", limit,
                        connection -> CatalogQueries.segment(connection, sha256));
            }

            @Override
            public Map<Sha256, byte[]> fetchAll(List<Sha256> names) throws SQLException {
                return database.inTransaction("fetch segments", limit,
                        connection -> CatalogQueries.segments(connection, names));
            }
        };
    }
}
