package io.bellwether.cluster;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who skipped which tick, from what the processes wrote in their logs: a line that says "skipped" and names the job and the
 * tick's instant. Any other line is ignored, so a change of the wording costs this part of the report and nothing else.
 * Remembers some hundred lines. Thread-safe.
 */
final class SkippedTicks {
    private static final int REMEMBERED = 500;
    private static final Pattern INSTANT = Pattern
            .compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?Z");

    private final Deque<Said> lines = new ArrayDeque<>();

    private record Said(String process, String line) {}

    synchronized void hear(String process, String line) {
        if (line.contains("skipped")) {
            lines.addLast(new Said(process, line));
            if (lines.size() > REMEMBERED) {
                lines.removeFirst();
            }
        }
    }

    /** The processes that said so, in order, each once. */
    synchronized List<String> of(String job, Instant tick) {
        Pattern named = Pattern.compile("(?<![a-z0-9-])" + Pattern.quote(job) + "(?![a-z0-9-])");
        return lines.stream().filter(s -> named.matcher(s.line()).find() && names(s.line(), tick)).map(Said::process)
                .distinct().sorted().toList();
    }

    private static boolean names(String line, Instant tick) {
        Matcher instants = INSTANT.matcher(line);
        while (instants.find()) {
            try {
                if (Instant.parse(instants.group()).equals(tick)) {
                    return true;
                }
            } catch (DateTimeException e) {
                // looks like an instant and is none
            }
        }
        return false;
    }
}
