package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;

/** What a benchmark is told by system properties, and the folders it works in. */
public final class Property {
    private Property() {}

    /**
     * A whole number.
     *
     * @throws BenchmarkException if it is none, or out of range
     */
    public static int number(String name, int otherwise, int least, int most) {
        String text = System.getProperty(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(text.replace("_", ""));
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new BenchmarkException("-D" + name + " takes a number from " + least + " to " + most + ", not " + text);
    }

    /** The folder of the load tests. */
    public static Path base() {
        return Path.of(System.getProperty("loadtest.basedir", "loadtest")).toAbsolutePath().normalize();
    }

    /**
     * What is measured: the folder that has {@code bin/bellwether}.
     *
     * @throws BenchmarkException if it has none
     */
    public static Path distribution() {
        Path folder = Path.of(System.getProperty("distribution",
                base().resolveSibling("target").resolve("bellwether").toString())).toAbsolutePath();
        if (!Files.isExecutable(folder.resolve("bin/bellwether"))) {
            throw new BenchmarkException("there is no " + folder.resolve("bin/bellwether")
                    + ": build it with `mvn -q -DskipTests package`, or name its folder with -Ddistribution=…");
        }
        return folder;
    }

    /** Where the temporary folder is made. */
    public static Path work() {
        return Path.of(System.getProperty("work", System.getProperty("java.io.tmpdir"))).toAbsolutePath();
    }

    /** Where the results go. */
    public static Path results() {
        return Path.of(System.getProperty("results", base().resolve("results").toString())).toAbsolutePath();
    }

    /** Refuses to begin where the disk would not be large enough in the end. */
    public static void checkDisk(Path work, long needed) throws IOException {
        long free = Files.getFileStore(work).getUsableSpace();
        if (free < needed) {
            throw new BenchmarkException(String.format(Locale.ROOT,
                    "%,d MB are free in %s, and %,d MB are needed: name another folder with -Dwork=… or a smaller size",
                    free >> 20, work, needed >> 20));
        }
    }

    /** Deletes a folder with all that is in it, if there is one. */
    public static void removeTree(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
