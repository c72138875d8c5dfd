package seeded.homecli.http;

import picocli.CommandLine;

/** Breaks a rule on purpose; see ArchitectureTest. */
public final class Foreign {
    /** A foreign library. */
    public Class<?> library() {
        return CommandLine.class;
    }
}
