package io.bellwether.refresh;

import java.util.Locale;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import org.jspecify.annotations.Nullable;

import io.bellwether.policy.SetDefinition.DuplicateKeys;
import io.bellwether.policy.SetDefinition.Guard;
import io.bellwether.policy.Sha256;

/** What a refresh may not do. Stateless. */
final class FeedGuard {
    private FeedGuard() {}

    /**
     * Looks at how a feed differs from the set, before anything is deleted.
     *
     * @param policiesBefore in the head, 0 if there is none
     * @param published whether there is a head
     * @return why it is refused, or null if it is not
     */
    static @Nullable String refusal(Guard guard, Difference difference, long policiesBefore, boolean published) {
        if (difference.repeated() > 0 && guard.duplicateKeys() == DuplicateKeys.REFUSE) {
            return repeated(difference);
        }
        if (difference.policies() == 0 && (policiesBefore > 0 || !published)) {
            return guard.allowEmpty() ? null : empty(policiesBefore);
        }
        double share = policiesBefore == 0 ? 0 : (double) difference.deletes() / (double) policiesBefore;
        return share <= guard.maxDeleteShare()
                ? null
                : words("%,d of %,d policies would be deleted, %.1f %%, more than the %.1f %% that guard.maxDeleteShare"
                        + " allows", difference.deletes(), policiesBefore, share * 100, guard.maxDeleteShare() * 100);
    }

    /**
     * Why an approved run is refused whose feed is not the candidate.
     *
     * @param refusal why the guard refuses the feed, or null if it does not
     */
    static String notTheCandidate(Sha256 approved, Sha256 content, @Nullable String refusal) {
        return "the feed is not the approved candidate " + approved + " any more, it is " + content + " now, which "
                + (refusal == null
                        ? "the guard lets through: a run without approval publishes it"
                        : "needs an approval of its own: " + refusal);
    }

    private static String repeated(Difference difference) {
        long more = difference.repeated() - difference.repetitions().size();
        return words("%,d policies have a key that came before: %s%s", difference.repeated(),
                String.join(", ", difference.repetitions()), more == 0 ? "" : words(", and %,d more", more));
    }

    private static String empty(long policiesBefore) {
        return policiesBefore == 0
                ? "the feed is empty (guard.allowEmpty is false)"
                : words("the feed is empty, which would delete all %,d policies (guard.allowEmpty is false)",
                        policiesBefore);
    }

    @FormatMethod
    private static String words(@FormatString String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
