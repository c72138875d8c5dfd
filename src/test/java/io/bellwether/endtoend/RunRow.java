package io.bellwether.endtoend;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A row of a job's runs, as the admin API shows it. What is null in a row stays null here.
 *
 * @param ticks for how many ticks it stands
 * @param from the first of them; its own tick when it stands for one
 */
record RunRow(long id, String kind, Instant tick, String state, int attempt, @Nullable String process,
        @Nullable Long fence, @Nullable String gate, @Nullable Instant claimedAt, @Nullable Instant finishedAt,
        @Nullable Long revision, int ticks, Instant from, @Nullable String reason) {
    private static final Set<String> OPEN = Set.of("queued", "running");
    /** Whether it counts ticks that were due just when the set was switched off, which is how tests end. */
    boolean isOfSwitchingOff() {
        return "due when the definition was changed".equals(reason);
    }

    /** As a take-over words it. */
    private static final Pattern LEASE_END = Pattern.compile("fell silent; its lease ended at (\\S+?)(?:;|$)");

    static RunRow of(JsonNode json) {
        Instant tick = Instant.parse(json.path("scheduledAt").textValue());
        Instant from = instant(json, "ticksFrom");
        return new RunRow(json.path("id").longValue(), json.path("kind").textValue(), tick,
                json.path("state").textValue(), json.path("attempt").intValue(), json.path("process").textValue(),
                number(json, "fence"), json.path("gate").textValue(), instant(json, "claimedAt"),
                instant(json, "finishedAt"), number(json, "revision"), json.path("ticks").intValue(),
                from == null ? tick : from, json.path("reason").textValue());
    }

    boolean isOpen() {
        return OPEN.contains(state);
    }

    boolean isPublished() {
        return state.equals("published");
    }

    /** Whether it is the end of its tick: what it did, or found that it need not do, is done. */
    boolean isDone() {
        return isPublished() || state.equals("unchanged");
    }

    /** When the lease of a process that fell silent ended; null when the row does not say so. */
    @Nullable
    Instant leaseEnd() {
        Matcher said = LEASE_END.matcher(reason == null ? "" : reason);
        return said.find() ? Instant.parse(said.group(1)) : null;
    }

    /** When it was claimed, of a row that was. */
    Instant claimed() {
        return Objects.requireNonNull(claimedAt);
    }

    /** When it ended, of a row that has. */
    Instant finished() {
        return Objects.requireNonNull(finishedAt);
    }

    /** How long it ran; zero when it never began or has not ended. */
    Duration length() {
        return claimedAt == null || finishedAt == null ? Duration.ZERO : Duration.between(claimedAt, finishedAt);
    }

    private static @Nullable Instant instant(JsonNode json, String member) {
        String text = json.path(member).textValue();
        return text == null ? null : Instant.parse(text);
    }

    private static @Nullable Long number(JsonNode json, String member) {
        return json.path(member).isNumber() ? json.path(member).longValue() : null;
    }
}
