package io.bellwether.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which children run, for whoever has to end them when {@code up} is gone: one line {@code NAME SIGNAL PID START} each.
 * Thread-safe.
 */
final class PidFile {
    private final Path file;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    PidFile(Path file) {
        this.file = file;
    }

    private record Entry(String name, String signal, OsProcess process) {
        String line() {
            return name + " " + signal + " " + process.pid() + " " + process.startTicks() + "\n";
        }

        static Optional<Entry> parse(String line) {
            try {
                String[] fields = line.split(" ", -1);
                return Optional.of(new Entry(fields[0], fields[1],
                        new OsProcess(Long.parseLong(fields[2]), Long.parseLong(fields[3]))));
            } catch (RuntimeException e) {
                return Optional.empty();
            }
        }
    }

    synchronized void put(String name, String signal, OsProcess process) throws IOException {
        entries.put(name, new Entry(name, signal, process));
        write();
    }

    synchronized void remove(String name) throws IOException {
        entries.remove(name);
        write();
    }

    private void write() throws IOException {
        StringBuilder text = new StringBuilder();
        entries.values().forEach(e -> text.append(e.line()));
        Secrets.writePrivate(file, text.toString());
    }

    /**
     * Ends what an {@code up} before this one left running: asks, waits, and kills what does not go.
     *
     * @return the names of what was still there
     */
    static List<String> endLeftovers(Path file, Duration grace) throws IOException, InterruptedException {
        if (!Files.exists(file)) {
            return List.of();
        }
        List<Entry> left = new ArrayList<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            Entry.parse(line).filter(e -> e.process().isAlive()).ifPresent(left::add);
        }
        for (Entry e : left) {
            e.process().signal(e.signal());
            e.process().signal("CONT");
        }
        long end = System.nanoTime() + grace.toNanos();
        for (Entry e : left) {
            if (!e.process().awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                e.process().signalGroup("KILL");
                e.process().awaitEnd(Duration.ofSeconds(2));
            }
        }
        Files.delete(file);
        return left.stream().map(Entry::name).toList();
    }
}
