package io.bellwether.lease;

import org.jspecify.annotations.Nullable;

import io.bellwether.policy.Sha256;

/**
 * What came of a run.
 *
 * @param state one of those a work may end in
 * @param revision the published revision, or null
 * @param upserts policies put
 * @param deletes policies deleted
 * @param unchanged policies found as they were
 * @param reason one sentence for people, or null when there is nothing to explain
 * @param candidate the hash of what was refused, by which an operator can approve it; or null
 */
public record RunResult(State state, @Nullable Long revision, long upserts, long deletes, long unchanged,
        @Nullable String reason, @Nullable Sha256 candidate) {
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

    /** The same result with a sentence about it. */
    public RunResult because(String sentence) {
        return new RunResult(state, revision, upserts, deletes, unchanged, sentence, candidate);
    }

    /** A new revision is the head. */
    public static RunResult published(long revision, long upserts, long deletes, long unchanged) {
        return new RunResult(State.PUBLISHED, revision, upserts, deletes, unchanged, null, null);
    }

    /** There was nothing to publish. */
    public static RunResult unchanged(long policies, @Nullable String reason) {
        return new RunResult(State.UNCHANGED, null, 0, 0, policies, reason, null);
    }

    /** The feed cannot be published, whoever says so; the head stays. */
    public static RunResult refused(String reason, long upserts, long deletes, long unchanged) {
        return refused(reason, upserts, deletes, unchanged, null);
    }

    /** A guard said no; the head stays. With a candidate, an operator may say yes. */
    public static RunResult refused(String reason, long upserts, long deletes, long unchanged,
            @Nullable Sha256 candidate) {
        return new RunResult(State.REFUSED, null, upserts, deletes, unchanged, reason, candidate);
    }

    /** It could not be done; the head stays. */
    public static RunResult failed(String reason) {
        return new RunResult(State.FAILED, null, 0, 0, 0, reason, null);
    }
}
