package io.bellwether.refresh;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;
import io.bellwether.policy.Sha256;
import io.bellwether.source.Validators;

/**
 * A set as a refresh finds it. What is read from the database later may be newer than this, never older; if it is, the
 * head has moved, and the publish says so.
 *
 * @param setId its row
 * @param name its name
 * @param definition what it is made from
 * @param segmentBits how it is cut, or null before its first publish
 * @param revision the head, 0 or that of a deleted set of this name before the first publish
 * @param published whether there is a head with content
 * @param policies in the head
 * @param rawBytes in the head
 * @param contentSha256 of the head, or null if there is none
 * @param validators of the feed behind the head, if that came from the source as it is defined now
 * @param sourceSha256 of the source as it is defined now
 */
record SetState(long setId, String name, SetDefinition definition, @Nullable Integer segmentBits, long revision,
        boolean published, long policies, long rawBytes, @Nullable Sha256 contentSha256, Validators validators,
        Sha256 sourceSha256) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads the set of a refresh job. */
    static SetState load(Connection connection, long jobId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("""
                select s.set_id, s.name, s.definition::text, s.segment_bits, s.revision, s.feed_etag,
                    s.feed_last_modified, s.feed_source_sha256, r.policies, r.raw_bytes, r.content_sha256
                from job j join policy_set s using (set_id)
                    left join revision r on r.set_id = s.set_id and r.revision = s.revision
                where j.job_id = ?""")) {
            query.setLong(1, jobId);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new Fault(FaultKind.NOT_FOUND, "the job has no set");
                }
                JsonNode json = json(Objects.requireNonNull(row.getString(3)));
                SetDefinition definition = definition(json);
                Sha256 source = Sha256.of(json.path("source").toString().getBytes(StandardCharsets.UTF_8));
                byte[] content = row.getBytes(11);
                boolean sameSource = Arrays.equals(source.bytes(), row.getBytes(8));
                row.getLong(9);
                boolean published = !row.wasNull();
                return new SetState(row.getLong(1), Objects.requireNonNull(row.getString(2)), definition,
                        row.getObject(4, Integer.class), row.getLong(5), published, row.getLong(9), row.getLong(10),
                        content == null ? null : Sha256.wrap(content),
                        sameSource ? new Validators(row.getString(6), row.getString(7)) : Validators.NONE, source);
            }
        }
    }

    /** The segments of the head in key order. */
    List<SegmentRef> segments(Connection connection) throws SQLException {
        return published ? segments(connection, "removed_in is null", null) : List.of();
    }

    /** The segments of a kept revision in key order. */
    List<SegmentRef> segments(Connection connection, long kept) throws SQLException {
        return segments(connection, "added_in <= ? and (removed_in is null or removed_in > ?)", kept);
    }

    private List<SegmentRef> segments(Connection connection, String alive, @Nullable Long at) throws SQLException {
        List<SegmentRef> segments = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("""
                select first_key, sha256, raw_sha256, bytes, raw_bytes, policies from manifest_entry
                where set_id = ? and\s""" + alive + " order by first_key")) {
            query.setLong(1, setId);
            if (at != null) {
                query.setLong(2, at);
                query.setLong(3, at);
            }
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    segments.add(new SegmentRef(bytes(rows, 1), Sha256.wrap(bytes(rows, 2)),
                            Sha256.wrap(bytes(rows, 3)), rows.getLong(4), rows.getLong(5), rows.getInt(6)));
                }
            }
        }
        return segments;
    }

    private static byte[] bytes(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(row.getBytes(column));
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new Fault(FaultKind.INVALID_DEFINITION, "the definition of the set is not JSON", e);
        }
    }

    private static SetDefinition definition(JsonNode json) {
        List<String> complaints = new ArrayList<>();
        SetDefinition definition = SetDefinitionJson.read(json, complaints);
        if (definition == null) {
            throw new Fault(FaultKind.INVALID_DEFINITION,
                    "the definition of the set is wrong: " + String.join("; ", complaints));
        }
        return definition;
    }
}
