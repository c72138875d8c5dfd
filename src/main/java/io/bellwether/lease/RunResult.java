package io.bellwether.lease;

import org.jspecify.annotations.Nullable;

/**
 * What came of a run.
 *
 * @param state one of those a work may end in
 * @param revision the published revision, or null
 * @param upserts policies put
 * @param deletes policies deleted
 * @param unchanged policies found as they were
 * @param reason one sentence for people, or null when there is nothing to explain
 */
public record RunResult(State state, @Nullable Long revision, long upserts, long deletes, long unchanged,
        @Nullable String reason) {
    /** How a work may end. */
    public enum State {
        PUBLISHED("published"), UNCHANGED("unchanged"), REFUSED("refused"), FAILED("failed");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** As stored and shown. */
        public String text() {
            return text;
        }
    }

    /** A new revision is the head. */
    public static RunResult published(long revision, long upserts, long deletes, long unchanged) {
        return new RunResult(State.PUBLISHED, revision, upserts, deletes, unchanged, null);
    }

    /** There was nothing to publish. */
    public static RunResult unchanged(long policies, @Nullable String reason) {
        return new RunResult(State.UNCHANGED, null, 0, 0, policies, reason);
    }

    /** A guard said no; the head stays. */
    public static RunResult refused(String reason, long upserts, long deletes, long unchanged) {
        return new RunResult(State.REFUSED, null, upserts, deletes, unchanged, reason);
    }

    /** It could not be done; the head stays. */
    public static RunResult failed(String reason) {
        return new RunResult(State.FAILED, null, 0, 0, 0, reason);
    }
}
