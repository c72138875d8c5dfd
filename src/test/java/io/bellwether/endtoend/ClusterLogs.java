package io.bellwether.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the processes and PostgreSQL wrote from a moment on, to be judged at the end of a class. Stateless but for the
 * moment.
 *
 * @param postgres its log
 * @param processes theirs
 */
record ClusterLogs(LogSince postgres, List<LogSince> processes) {
    /** What a test does to processes that PostgreSQL may speak of. */
    enum Expected {
        /** A client went away while it was asked something. */
        LEFT("connection to client lost"),
        /** A client was killed or cut off, in whatever it did. */
        CUT_OFF("connection to client lost", "unexpected EOF on client connection with an open transaction",
                "protocol synchronization was lost"),
        /** Whoever takes a run over ends the back end that the run left behind. */
        TAKEN_OVER("terminating connection due to administrator command"),
        /** A client with an open transaction is silent. */
        SILENT("terminating connection due to idle-in-transaction timeout",
                "terminating connection due to transaction timeout");

        @SuppressWarnings("ImmutableEnumChecker") // List.of makes it so.
        private final List<String> texts;

        Expected(String... texts) {
            this.texts = List.of(texts);
        }
    }

    /** From now on. */
    static ClusterLogs now(FaultCluster cluster) throws IOException {
        return new ClusterLogs(cluster.postgresLogSince(), cluster.logsSince());
    }

    /** Nobody logged an error or a stack trace, but PostgreSQL what is expected. */
    void assertQuiet(Expected... ofPostgres) throws IOException {
        assertPostgresQuiet(ofPostgres);
        for (LogSince log : processes) {
            assertThat(log.errorsAndTraces()).isEmpty();
        }
    }

    /** The part of {@link #assertQuiet} about PostgreSQL. */
    void assertPostgresQuiet(Expected... expected) throws IOException {
        String[] texts = Stream.of(expected).flatMap(e -> e.texts.stream()).toArray(String[]::new);
        assertThat(postgres.postgresComplaints(texts)).isEmpty();
    }
}
