package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Cleanup;
import io.bellwether.loadtest.bench.ProcFs;
import io.bellwether.loadtest.bench.Programs;

/**
 * A running {@link SmallestJetty}, on the very Java, with the options and with the Jetty of a process of the server.
 *
 * @param pid its number
 * @param port on 127.0.0.1
 */
record JettyProcess(long pid, int port) {
    private static final long START_NANOS = 60_000_000_000L;

    /**
     * Starts one and waits until it listens.
     *
     * @param like the process of the server whose Java and options it takes
     * @param fields of the header of its answers
     * @param folder for what it reads and writes
     */
    static JettyProcess start(Path distribution, long like, List<String> fields, Path folder, Cleanup cleanup)
            throws IOException, InterruptedException {
        Path file = Files.write(Files.createTempFile(folder, "fields-", ".txt"), fields, StandardCharsets.ISO_8859_1);
        List<String> command = new ArrayList<>(List.of(ProcFs.program(like).toString()));
        command.addAll(options(like));
        command.addAll(List.of("-cp", classPath(distribution), SmallestJetty.class.getName(), file.toString()));
        Path output = Files.createTempFile(folder, "jetty-", ".log");
        Process process = Programs.startWithInput(command, output);
        cleanup.add(() -> Programs.stop(process));
        long end = System.nanoTime() + START_NANOS;
        while (true) {
            String said = Files.readString(output, StandardCharsets.UTF_8);
            for (String line : said.lines().toList()) {
                if (said.endsWith("\n") && line.startsWith("port ")) {
                    return new JettyProcess(process.pid(), Integer.parseInt(line.substring(5)));
                }
            }
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                throw new BenchmarkException("the smallest Jetty did not start: " + said);
            }
            Thread.sleep(50);
        }
    }

    /** The options of Java of that process, but for the cache of classes, which fits the class path of the server alone. */
    static List<String> options(long like) throws IOException {
        List<String> words = ProcFs.commandLine(like);
        return words.subList(1, Math.max(1, words.indexOf("-cp"))).stream()
                .filter(word -> word.startsWith("-X") || word.startsWith("--"))
                .filter(word -> !word.startsWith("-XX:AOTCache") && !word.startsWith("-Xlog:")).toList();
    }

    private static String classPath(Path distribution) throws IOException {
        try (Stream<Path> jars = Files.list(distribution.resolve("lib"))) {
            Path own = Path.of(SmallestJetty.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return Stream.concat(Stream.of(own), jars.filter(jar -> jar.getFileName().toString()
                    .matches("(jetty-(server|http|io|util)|slf4j-api)-.*\\.jar")).sorted()).map(Path::toString)
                    .collect(Collectors.joining(":"));
        } catch (URISyntaxException e) {
            throw new BenchmarkException("the benchmark does not know where its own classes are", e);
        }
    }
}
