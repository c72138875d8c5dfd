package io.bellwether.cli;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import io.bellwether.schedule.CronSchedule;
import io.bellwether.schedule.CronWords;

/** {@code bellwether cron explain}. */
final class CronCommands {
    @Command(name = "cron", synopsisSubcommandLabel = "explain", description = "What a schedule means.")
    private static final class Group {}

    private CronCommands() {}

    static CommandLine create(Terminal terminal) {
        return new CommandLine(new Group()).addSubcommand(new Explain(terminal));
    }

    @Command(name = "explain", description = "Says a schedule in words, and its next ticks. Asks no server.")
    static final class Explain implements Callable<Integer> {
        private static final int MAX_COUNT = 1000;
        private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("EEE yyyy-MM-dd HH:mm:ss xxx",
                Locale.ENGLISH);

        private final Terminal terminal;

        @Parameters(index = "0", arity = "1..*", paramLabel = "EXPR", description = "six fields (second minute hour day month weekday), or five without the second; quoted, or as words")
        @SuppressWarnings("NullAway.Init")
        private List<String> words;

        @Option(names = "--zone", paramLabel = "Z", defaultValue = "UTC", description = "an IANA time zone (${DEFAULT-VALUE})")
        @SuppressWarnings("NullAway.Init")
        private String zone;

        @Option(names = "--count", paramLabel = "N", defaultValue = "10", description = "how many ticks, 1 to 1000 (${DEFAULT-VALUE})")
        private int count;

        @Option(names = "--json", description = "print JSON")
        private boolean json;

        Explain(Terminal terminal) {
            this.terminal = terminal;
        }

        @Override
        public Integer call() throws CommandFailure {
            if (count < 1 || count > MAX_COUNT) {
                throw new CommandFailure(CommandFailure.USAGE, "--count must be 1 to " + MAX_COUNT + ", not " + count);
            }
            CronSchedule schedule;
            try {
                schedule = CronSchedule.written(String.join(" ", words), zone);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()), e);
            }
            List<Instant> ticks = new ArrayList<>();
            for (Instant tick = schedule.next(terminal.clock().instant()); tick != null
                    && ticks.size() < count; tick = schedule.next(tick)) {
                ticks.add(tick);
            }
            if (json) {
                print(schedule, ticks);
            } else {
                terminal.out().println(CronWords.explain(schedule));
                Table table = new Table("TICK", "LOCAL TIME");
                ticks.forEach(tick -> table.row(tick.toString(), tick.atZone(schedule.zone()).format(LOCAL)));
                table.print(terminal.out());
            }
            return 0;
        }

        private void print(CronSchedule schedule, List<Instant> ticks) {
            ObjectNode answer = JsonNodeFactory.instance.objectNode().put("schedule", schedule.text())
                    .put("zone", schedule.zone().toString()).put("words", CronWords.explain(schedule));
            ArrayNode all = answer.putArray("ticks");
            ticks.forEach(tick -> all.add(tick.toString()));
            ApiOptions.print(terminal, answer);
        }
    }
}
