package io.bellwether.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import io.bellwether.feed.FeedGenerator;
import io.bellwether.feed.FeedShape;

/** {@code bellwether feed generate}. */
final class FeedCommands {
    @Command(name = "feed", synopsisSubcommandLabel = "generate", description = "Feeds to try things with.")
    private static final class Group {}

    private FeedCommands() {}

    static CommandLine create(Terminal terminal) {
        return new CommandLine(new Group()).addSubcommand(new Generate(terminal));
    }

    @Command(name = "generate", description = {"Writes a synthetic NDJSON feed, the same for the same seed.",
            "With --change the same feed after that share of it changed."})
    static final class Generate implements Callable<Integer> {
        private static final int BUFFER_BYTES = 128 << 10;

        private final Terminal terminal;

        @Option(names = "--policies", required = true, paramLabel = "N", description = "how many, 1 to 10,000,000")
        private long policies;

        @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "any number; another gives another feed (${DEFAULT-VALUE})")
        private long seed;

        @Option(names = "--change", paramLabel = "SHARE", description = "the share that changed since, 0 to 1")
        private @Nullable Double change;

        @Option(names = "--out", paramLabel = "FILE", description = "a file instead of standard output; gzipped if its name ends in .gz")
        private @Nullable Path out;

        Generate(Terminal terminal) {
            this.terminal = terminal;
        }

        @Override
        public Integer call() throws CommandFailure, IOException {
            FeedShape shape = shape();
            if (out == null) {
                OutputStream stream = new BufferedOutputStream(terminal.bytes(), BUFFER_BYTES);
                new FeedGenerator(shape).writeTo(stream);
                stream.flush();
                return 0;
            }
            try {
                long lines = FeedGenerator.writeTo(out, shape);
                terminal.out().println("wrote " + lines + " policies to " + out);
                return 0;
            } catch (IOException e) {
                throw new CommandFailure(CommandFailure.FAILED, "cannot write " + out + ": " + reason(e), e);
            }
        }

        private FeedShape shape() throws CommandFailure {
            try {
                FeedShape shape = FeedShape.of(policies, seed);
                return change == null ? shape : shape.changedBy(change);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()), e);
            }
        }

        private static String reason(IOException e) {
            return e.getClass().getSimpleName().equals("IOException")
                    ? Table.plain(String.valueOf(e.getMessage()))
                    : e.getClass().getSimpleName();
        }
    }
}
