package io.bellwether.refresh;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Sha256;

/** What a run of a refresh job is to do; on a tick and by "run now": follow the source. Immutable. */
public sealed interface RefreshRequest {
    /** The member of {@link #json} that names the candidate. */
    String APPROVE = "approve";

    /** The member of {@link #json} that names the revision. */
    String ROLLBACK = "rollback";

    /** Bring the set to what the source says, within its guard. */
    record Follow() implements RefreshRequest {}

    /**
     * Publish what the source says if it is exactly this, whatever the guard says.
     *
     * @param candidate the SHA-256 of the feed's bytes, decompressed
     */
    record Approve(Sha256 candidate) implements RefreshRequest {}

    /**
     * Publish the content of an older revision again.
     *
     * @param revision one that is kept
     */
    record Rollback(long revision) implements RefreshRequest {}

    /** As it is kept with the run; null for {@link Follow}. */
    default @Nullable String json() {
        return switch (this) {
            case Follow ignored -> null;
            case Approve approve -> JsonNodeFactory.instance.objectNode().put(APPROVE, approve.candidate().hex())
                    .toString();
            case Rollback rollback -> JsonNodeFactory.instance.objectNode().put(ROLLBACK, rollback.revision())
                    .toString();
        };
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is something that this version does not know
     */
    static RefreshRequest parse(@Nullable String text) {
        if (text == null) {
            return new Follow();
        }
        try {
            JsonNode json = new ObjectMapper().readTree(text);
            if (json.size() == 1 && json.path(APPROVE).isTextual()) {
                return new Approve(Sha256.parse(json.path(APPROVE).textValue()));
            }
            if (json.size() == 1 && json.path(ROLLBACK).isIntegralNumber()) {
                return new Rollback(json.path(ROLLBACK).longValue());
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            // Said below.
        }
        throw new Fault(FaultKind.INVALID_REQUEST, "a refresh cannot do what was asked for: " + text);
    }
}
