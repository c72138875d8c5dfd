package io.bellwether.http;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.RevisionInfo;
import io.bellwether.catalog.SetState;
import io.bellwether.policy.Manifest;
import io.bellwether.policy.SegmentRef;

/** Sets, heads and manifests as JSON. Stateless. */
final class SetJson {
    private SetJson() {}

    /** A head: what its tag stands for, so nothing that changes without another revision, such as which are kept. */
    static ObjectNode head(Heads heads, SetState set) {
        ObjectNode json = Json.object().put("set", set.name()).put("epoch", heads.epoch().toString())
                .put("revision", set.revision());
        if (set.isPublished()) {
            RevisionInfo head = set.head();
            revision(json, head);
            json.put("segments", set.manifest().segments().size()).put("upserts", head.upserts())
                    .put("deletes", head.deletes());
        }
        return json;
    }

    static ObjectNode manifest(Heads heads, SetState set, RevisionInfo revision, Manifest manifest) {
        ObjectNode json = Json.object().put("set", set.name()).put("epoch", heads.epoch().toString())
                .put("revision", revision.revision());
        revision(json, revision);
        ArrayNode segments = json.putArray("segments");
        for (SegmentRef segment : manifest.segments()) {
            segments.addObject().put("firstKey", new String(segment.firstKey(), StandardCharsets.UTF_8))
                    .put("sha256", segment.sha256().hex()).put("rawSha256", segment.rawSha256().hex())
                    .put("bytes", segment.bytes()).put("rawBytes", segment.rawBytes())
                    .put("policies", segment.policies());
        }
        return json;
    }

    /** The revisions that are kept before one, with what of them. */
    static ObjectNode revisions(Heads heads, SetState set, long before, long limit) {
        ObjectNode json = Json.object().put("set", set.name()).put("epoch", heads.epoch().toString())
                .put("revision", set.revision());
        ArrayNode all = json.putArray("revisions");
        set.revisionsBefore(before).stream().limit(limit).forEach(kept -> {
            ObjectNode one = all.addObject().put("revision", kept.revision());
            revision(one, kept);
            one.put("upserts", kept.upserts()).put("deletes", kept.deletes()).put("process", kept.process())
                    .put("contents", set.hasContents(kept.revision())).put("changes", kept.hasDelta());
        });
        return json;
    }

    private static void revision(ObjectNode json, RevisionInfo revision) {
        json.put("policies", revision.policies()).put("bytes", revision.bytes()).put("rawBytes", revision.rawBytes())
                .put("contentSha256", revision.contentSha256().hex())
                .put("publishedAt", revision.publishedAt().toString());
    }
}
