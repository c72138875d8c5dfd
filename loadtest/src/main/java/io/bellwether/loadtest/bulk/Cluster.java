package io.bellwether.loadtest.bulk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The product as a user starts it: {@code bellwether up} with one process, in a folder of its own.
 *
 * @param url nginx's
 * @param adminToken of the admin API
 * @param serverPid of the one {@code serve} process
 * @param postgresPid of the postmaster
 * @param postgresPort on 127.0.0.1
 * @param database Bellwether's database
 * @param superuserPassword of the role {@code postgres}
 */
record Cluster(String url, String adminToken, long serverPid, long postgresPid, int postgresPort, String database,
        String superuserPassword) {
    private static final long START_NANOS = 180_000_000_000L;
    private static final int LAST_WORDS = 2_000;

    /**
     * Starts one and waits until it is ready.
     *
     * @param folder does not exist or is empty
     * @param javaOptions of the server
     * @param cleanup stops it
     */
    static Cluster start(Path distribution, Path folder, String javaOptions, Cleanup cleanup)
            throws IOException, InterruptedException {
        Path output = Files.createDirectories(folder).resolve("up.log");
        Process up = Programs.start(List.of(distribution.resolve("bin/bellwether").toString(), "up", "--processes", "1",
                "--no-demo", "--dir", folder.toString()), Map.of("BELLWETHER_JVM_OPTS", javaOptions), output);
        cleanup.add(() -> Programs.stop(up));
        long end = System.nanoTime() + START_NANOS;
        while (Files.readString(output, StandardCharsets.UTF_8).lines().noneMatch(line -> line.startsWith("ready"))) {
            if (!up.isAlive() || System.nanoTime() - end > 0) {
                String said = Files.readString(output, StandardCharsets.UTF_8);
                throw new BenchmarkException("`bellwether up` did not become ready: "
                        + said.substring(Math.max(0, said.length() - LAST_WORDS)));
            }
            Thread.sleep(100);
        }
        JsonNode json = new ObjectMapper().readTree(folder.resolve("cluster.json").toFile());
        return new Cluster(json.at("/url").asText(), json.at("/adminToken").asText(),
                json.at("/processes/0/pid").asLong(),
                json.at("/postgres/pid").asLong(), json.at("/postgres/port").asInt(),
                json.at("/postgres/database").asText(),
                Files.readString(folder.resolve("secrets/postgres-superuser"), StandardCharsets.UTF_8).strip());
    }
}
