package io.bellwether.admin;

import java.time.Instant;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A set as operators see it.
 *
 * @param name of the set and of its refresh job
 * @param definition as it was put, header values masked; putting it back changes nothing
 * @param revision the head, or 0 before the first publish
 * @param createdAt when it was first put
 */
public record StoredSet(String name, ObjectNode definition, long revision, Instant createdAt) {
    /** The JSON of the admin API. */
    public ObjectNode json() {
        ObjectNode json = definition.objectNode();
        json.put("set", name).put("job", name).put("revision", revision).put("createdAt", createdAt.toString());
        json.set("definition", definition);
        return json;
    }
}
