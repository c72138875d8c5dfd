package io.bellwether.http;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.lease.JobView;
import io.bellwether.lease.RunView;

/** Jobs and runs as the admin API shows them; every member is always there, null when there is nothing to tell. */
final class AdminJobJson {
    /** Shown for a pause without an end, so that whoever parses it needs no other form. */
    static final Instant WITHOUT_END = Instant.parse("9999-12-31T23:59:59Z");

    private AdminJobJson() {}

    static ObjectNode job(JobView job) {
        ObjectNode json = Json.object().put("job", job.job()).put("kind", job.kind()).put("schedule", job.schedule())
                .put("zone", job.zone()).put("enabled", job.enabled()).put("pausedUntil", instant(job.pausedUntil()))
                .put("pauseReason", job.pauseReason()).put("leader", job.leader());
        json.set("running", run(job.running()));
        json.put("nextTick", instant(job.nextTick()));
        json.set("lastRun", run(job.lastRun()));
        json.set("lastSuccess", run(job.lastSuccess()));
        return json.put("problem", job.problem());
    }

    static JsonNode run(@Nullable RunView run) {
        if (run == null) {
            return NullNode.getInstance();
        }
        Duration took = run.duration();
        ObjectNode json = Json.object().put("id", run.id()).put("job", run.job()).put("kind", run.kind())
                .put("scheduledAt", run.scheduledAt().toString()).put("state", run.state())
                .put("attempt", run.attempt()).put("process", run.process()).put("fence", run.fence())
                .put("gate", run.gate()).put("claimedAt", instant(run.claimedAt()))
                .put("finishedAt", instant(run.finishedAt())).put("durationMs", took == null ? null : took.toMillis())
                .put("revision", run.revision()).put("upserts", run.upserts()).put("deletes", run.deletes())
                .put("unchanged", run.unchanged()).put("reason", run.reason()).put("ticks", run.ticks())
                .put("ticksFrom", instant(run.ticksFrom())).put("candidate", run.candidate());
        json.set("request", run.request() == null
                ? NullNode.getInstance()
                : Json.read(run.request().getBytes(StandardCharsets.UTF_8)));
        json.set("progress", run.progress() == null
                ? NullNode.getInstance()
                : Json.read(run.progress().getBytes(StandardCharsets.UTF_8)));
        return json;
    }

    static @Nullable String instant(@Nullable Instant instant) {
        return instant == null ? null : (instant.isAfter(WITHOUT_END) ? WITHOUT_END : instant).toString();
    }
}
