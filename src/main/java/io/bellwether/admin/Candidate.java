package io.bellwether.admin;

import java.time.Instant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A feed that a guard refused and that an operator may let through once.
 *
 * @param hash the SHA-256 of its bytes, decompressed, in hex
 * @param run the newest run that refused it
 * @param refusedAt when
 * @param reason why
 * @param upserts policies that it would put
 * @param deletes policies that it would delete
 * @param unchanged policies that it would leave
 * @param approvedBy the newest run that was to let it through after that, or null
 * @param approval the state of that run, or null
 */
public record Candidate(String hash, long run, Instant refusedAt, @Nullable String reason, long upserts, long deletes,
        long unchanged, @Nullable Long approvedBy, @Nullable String approval) {
    /** As the API shows it. */
    public ObjectNode json() {
        return JsonNodeFactory.instance.objectNode().put("hash", hash).put("run", run)
                .put("refusedAt", refusedAt.toString()).put("reason", reason).put("upserts", upserts)
                .put("deletes", deletes).put("unchanged", unchanged).put("approvedBy", approvedBy)
                .put("approval", approval);
    }
}
