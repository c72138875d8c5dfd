package io.bellwether.admin;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;
import io.bellwether.policy.SetName;
import io.bellwether.schedule.CronSchedule;

/**
 * Declaring sets. A set and its refresh job, which bears its name, are one thing here: written together, deleted
 * together. Thread safe.
 */
public final class SetAdmin {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Deleting waits for a publish under way to end and then removes all rows of the set. */
    private static final Duration DELETE_LIMIT = Duration.ofMinutes(2);

    private static final int DELETE_ATTEMPTS = 5;

    private static final String DEADLOCK = "40P01";

    private final Database database;
    private final SourceRule sources;

    /** What came of a put. */
    public record Put(Change change, StoredSet set) {}

    /**
     * Operations on the sets of this database.
     *
     * @param sources where feeds may come from
     */
    public SetAdmin(Database database, SourceRule sources) {
        this.database = database;
        this.sources = sources;
    }

    /**
     * Creates a set or replaces its definition; the same definition again changes nothing.
     *
     * @param name of the set
     * @param sent the definition; a header value that is the mask keeps the stored one
     * @throws Fault {@link FaultKind#INVALID_DEFINITION} with every complaint, {@link FaultKind#CONFLICT} if the name is
     *         that of a built-in job
     * @throws SQLException if the database is away
     */
    public Put put(String name, JsonNode sent) throws SQLException {
        SetDefinition wanted = checked(name, sent);
        return database.inTransaction("put set " + name, LIMIT, connection -> {
            SetRows rows = new SetRows(connection);
            rows.takeTurn(name);
            SetRows.Locked locked = rows.lock(name);
            if (locked != null) {
                return replace(rows, locked, wanted);
            }
            SetDefinition filled = filled(wanted, null);
            long created = rows.insert(name, filled);
            rows.raiseVersion(created, name);
            return new Put(Change.CREATED, rows.get(created));
        });
    }

    private static Put replace(SetRows rows, SetRows.Locked locked, SetDefinition wanted) throws SQLException {
        SetDefinition filled = filled(wanted, locked.definition());
        SetDefinition before = SetDefinitionJson.read(locked.definition(), new ArrayList<>());
        if (filled.equals(before)) {
            return new Put(Change.UNCHANGED, rows.get(locked.setId()));
        }
        rows.update(locked, before, filled);
        rows.raiseVersion(locked.setId(), locked.name());
        return new Put(Change.CHANGED, rows.get(locked.setId()));
    }

    /** One set, or nothing when there is none of that name. */
    public Optional<StoredSet> get(String name) throws SQLException {
        return database.inTransaction("get set", LIMIT, connection -> new SetRows(connection).find(name));
    }

    /** All sets by name. */
    public List<StoredSet> list() throws SQLException {
        return database.inTransaction("list sets", LIMIT, connection -> new SetRows(connection).all());
    }

    /**
     * Deletes a set, its policies, revisions, job and runs. A run under way is ended and publishes nothing.
     *
     * @return whether there was one of that name
     */
    public boolean delete(String name) throws SQLException {
        for (int attempt = 1;; attempt++) {
            try {
                return database.inTransaction("delete set " + name, DELETE_LIMIT,
                        connection -> new SetRows(connection).delete(name));
            } catch (SQLException e) {
                // A first, empty publish takes the job before the set, deleting takes them the other way round.
                if (!DEADLOCK.equals(e.getSQLState()) || attempt == DELETE_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private SetDefinition checked(String name, JsonNode sent) throws SQLException {
        List<String> complaints = new ArrayList<>();
        if (!SetName.isValid(name)) {
            complaints.add("the name of a set must be " + SetName.rule());
        }
        SetDefinition wanted = SetDefinitionJson.read(sent, complaints);
        // Judged as sent, not as read, so that a wrong guard does not hide a wrong schedule.
        if (sent.path("schedule").isTextual() && complaints.stream().noneMatch(c -> c.startsWith("zone "))) {
            judgeSchedule(sent.path("schedule").textValue(), sent.path("zone").asText("UTC"), complaints);
        }
        JsonNode url = sent.path("source").path("url");
        if (url.isTextual() && complaints.stream().noneMatch(c -> c.startsWith("source.url"))) {
            sources.objection(url.textValue().strip()).ifPresent(why -> complaints.add("source.url: " + why));
        }
        if (wanted != null && SetName.isValid(name)
                && wanted.source().headers().containsValue(SetDefinitionJson.MASK)) {
            Optional<ObjectNode> stored = database.inTransaction("get set", LIMIT,
                    connection -> new SetRows(connection).definition(name));
            SecretHeaders.filled(wanted, stored.orElse(null), complaints);
        }
        if (wanted == null || !complaints.isEmpty()) {
            throw invalid(complaints);
        }
        return wanted;
    }

    private static void judgeSchedule(String text, String zone, List<String> complaints) {
        try {
            CronSchedule.written(text, zone.strip());
        } catch (IllegalArgumentException e) {
            complaints.add(e.getMessage() == null ? "schedule is not cron text" : e.getMessage());
        }
    }

    private static SetDefinition filled(SetDefinition wanted, @Nullable ObjectNode stored) {
        List<String> complaints = new ArrayList<>();
        SetDefinition filled = SecretHeaders.filled(wanted, stored, complaints);
        if (!complaints.isEmpty()) {
            throw invalid(complaints);
        }
        return filled;
    }

    private static Fault invalid(List<String> complaints) {
        return new Fault(FaultKind.INVALID_DEFINITION, String.join("; ", complaints));
    }
}
