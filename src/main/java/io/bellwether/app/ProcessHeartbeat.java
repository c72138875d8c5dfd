package io.bellwether.app;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.database.Database;
import io.bellwether.database.DatabaseClock;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;

/**
 * Keeps this process' row in {@code process}, for people who look who is there. Nothing is decided by it.
 */
final class ProcessHeartbeat implements Service {
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final Database database;
    private final DatabaseClock clock;
    private final String process;
    private final int port;
    private final Instant started;
    private final Supplier<Map<String, Long>> heads;
    private final Supplier<String> gate;
    private final Periodic loop;

    ProcessHeartbeat(Database database, DatabaseClock clock, String process, int port,
            Supplier<Map<String, Long>> heads,
            Supplier<String> gate) {
        this.database = database;
        this.clock = clock;
        this.process = process;
        this.port = port;
        this.started = clock.instant();
        this.heads = heads;
        this.gate = gate;
        this.loop = new Periodic("process-heartbeat", INTERVAL, () -> {
            write();
            return INTERVAL;
        });
    }

    @Override
    public String name() {
        return "process heartbeat";
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop(Duration grace) {
        loop.stop(LIMIT);
        try {
            database.inTransaction("process leaves", LIMIT, connection -> {
                try (PreparedStatement delete = connection.prepareStatement("delete from process where name = ?")) {
                    delete.setString(1, process);
                    return delete.executeUpdate();
                }
            });
        } catch (SQLException e) {
            // The row goes stale and is removed by the others after a day.
            return;
        }
    }

    private void write() throws SQLException {
        ObjectNode held = JsonNodeFactory.instance.objectNode();
        heads.get().forEach(held::put);
        database.inTransaction("process heartbeat", LIMIT, connection -> {
            try (PreparedStatement upsert = connection.prepareStatement("""
                    insert into process (name, port, started_at, last_seen, heads, clock_offset_ms, gate)
                    values (?, ?, ?, clock_timestamp(), ?::jsonb, ?, ?)
                    on conflict (name) do update set port = excluded.port, last_seen = excluded.last_seen,
                        heads = excluded.heads, clock_offset_ms = excluded.clock_offset_ms, gate = excluded.gate""")) {
                upsert.setString(1, process);
                upsert.setInt(2, port);
                upsert.setObject(3, OffsetDateTime.ofInstant(started, ZoneOffset.UTC));
                upsert.setString(4, held.toString());
                upsert.setLong(5, clock.offset().toMillis());
                upsert.setString(6, gate.get());
                upsert.executeUpdate();
            }
            try (PreparedStatement sweep = connection
                    .prepareStatement("delete from process where last_seen < clock_timestamp() - interval '1 day'")) {
                return sweep.executeUpdate();
            }
        });
    }
}
