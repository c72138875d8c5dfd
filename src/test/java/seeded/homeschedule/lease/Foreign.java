package seeded.homeschedule.lease;

import org.springframework.scheduling.support.CronExpression;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return CronExpression.class;
    }
}
