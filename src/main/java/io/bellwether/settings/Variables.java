package io.bellwether.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Typed access to the environment that collects complaints instead of throwing at the first. Not thread safe. */
final class Variables {
    private static final String PREFIX = "BELLWETHER_";

    private final Map<String, String> environment;
    private final List<String> complaints = new ArrayList<>();

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    void complain(String complaint) {
        complaints.add(complaint);
    }

    void throwIfAny() throws SettingsException {
        if (!complaints.isEmpty()) {
            throw new SettingsException(complaints);
        }
    }

    void refuseUnknown(List<String> known, List<String> foreign) {
        environment.keySet().stream().sorted().filter(n -> n.startsWith(PREFIX))
                .filter(n -> !known.contains(n) && !foreign.contains(n)).forEach(name -> {
                    String near = known.stream().min(Comparator.comparingInt(k -> distance(name, k))).orElse("");
                    complain(name + " is not a setting; did you mean " + near + "?");
                });
    }

    String text(String name, String otherwise) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    String required(String name) {
        String value = text(name, "");
        if (value.isEmpty()) {
            complain(name + " is required");
        }
        return value;
    }

    /** The value of {@code name}, or the content, stripped, of the file that {@code name_FILE} names. */
    String secret(String name, String otherwise) {
        String inline = text(name, "");
        String file = text(name + "_FILE", "");
        if (!inline.isEmpty() && !file.isEmpty()) {
            complain("only one of " + name + " and " + name + "_FILE may be set");
        }
        if (file.isEmpty()) {
            return inline.isEmpty() ? otherwise : inline;
        }
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException | RuntimeException e) {
            complain(name + "_FILE: cannot read " + file + " (" + e.getClass().getSimpleName() + ")");
            return otherwise;
        }
    }

    /** Complains unless {@code value} is a folder that is there, or can be made, and can be written to. */
    void directory(String name, String value) {
        try {
            Path folder = Path.of(value);
            Files.createDirectories(folder);
            if (!Files.isWritable(folder)) {
                complain(name + ": " + value + " cannot be written to");
            }
        } catch (IOException | RuntimeException e) {
            complain(name + ": " + value + " cannot be made (" + e.getClass().getSimpleName() + ")");
        }
    }

    int integer(String name, int min, int max, int otherwise) {
        String value = text(name, "");
        if (value.isEmpty()) {
            return otherwise;
        }
        try {
            int parsed = Integer.parseInt(value);
            if (parsed >= min && parsed <= max) {
                return parsed;
            }
        } catch (NumberFormatException e) {
            // The complaint below covers it.
        }
        complain(name + " must be a whole number from " + min + " to " + max + ", not '" + value + "'");
        return otherwise;
    }

    Duration duration(String name, Duration min, Duration max, Duration otherwise) {
        String value = text(name, "");
        if (value.isEmpty()) {
            return otherwise;
        }
        try {
            Duration parsed = Duration.parse(value);
            if (parsed.compareTo(min) >= 0 && parsed.compareTo(max) <= 0) {
                return parsed;
            }
        } catch (DateTimeParseException e) {
            // The complaint below covers it.
        }
        complain(name + " must be an ISO 8601 duration from " + min + " to " + max + " such as " + otherwise + ", not '"
                + value + "'");
        return otherwise;
    }

    /** Levenshtein's edit distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitute = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substitute, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
