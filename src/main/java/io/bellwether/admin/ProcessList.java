package io.bellwether.admin;

import java.io.UncheckedIOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.database.Database;

/** The server processes seen lately, each as it told of itself. Thread safe. */
public final class ProcessList {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Database database;

    /** The processes of this database. */
    public ProcessList(Database database) {
        this.database = database;
    }

    /**
     * Those seen within the last ten minutes, by name.
     *
     * @return for each its name, port, when it started and was last seen, its heads, its clock's offset and its gate
     */
    public List<ObjectNode> seenLately() throws SQLException {
        return database.inTransaction("list processes", LIMIT, connection -> {
            List<ObjectNode> seen = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(
                    """
                    select name, port, started_at, last_seen, heads, clock_offset_ms, gate from process
                    where last_seen > clock_timestamp() - interval '10 minutes' order by name collate "C" limit 1000""");
                    ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    seen.add(json(row));
                }
            }
            return seen;
        });
    }

    private static ObjectNode json(ResultSet row) throws SQLException {
        ObjectNode json = JSON.createObjectNode().put("name", row.getString(1)).put("port", row.getInt(2))
                .put("startedAt", instant(row, 3)).put("lastSeen", instant(row, 4));
        try {
            json.set("heads", JSON.readTree(row.getString(5)));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
        long offset = row.getLong(6);
        json.put("clockOffsetMs", row.wasNull() ? null : Long.valueOf(offset));
        return json.put("gate", row.getString(7));
    }

    private static String instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant().toString();
    }
}
