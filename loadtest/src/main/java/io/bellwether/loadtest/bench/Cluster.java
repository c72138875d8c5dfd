package io.bellwether.loadtest.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The product as a user starts it: {@code bellwether up}, in a folder of its own.
 *
 * @param folder where it lives
 * @param url nginx's
 * @param port nginx's
 * @param nginxPid of nginx's master
 * @param adminToken of the admin API
 * @param servers the {@code serve} processes
 * @param postgresPid of the postmaster
 * @param postgresPort on 127.0.0.1
 * @param database Bellwether's database
 * @param superuserPassword of the role {@code postgres}
 */
public record Cluster(Path folder, String url, int port, long nginxPid, String adminToken, List<Server> servers,
        long postgresPid, int postgresPort, String database, String superuserPassword) {
    private static final long START_NANOS = 180_000_000_000L;
    private static final int LAST_WORDS = 2_000;

    /**
     * One {@code serve} process.
     *
     * @param pid its number
     * @param port on 127.0.0.1
     */
    public record Server(long pid, int port) {}

    /**
     * Starts one and waits until it is ready.
     *
     * @param folder does not exist or is empty
     * @param processes how many
     * @param javaOptions of each of them; empty for none
     * @param cleanup stops it
     */
    public static Cluster start(Path distribution, Path folder, int processes, String javaOptions, Cleanup cleanup)
            throws IOException, InterruptedException {
        Path output = Files.createDirectories(folder).resolve("up.log");
        Process up = Programs.start(List.of(distribution.resolve("bin/bellwether").toString(), "up", "--processes",
                Integer.toString(processes), "--no-demo", "--dir", folder.toString()),
                Map.of("BELLWETHER_JVM_OPTS", javaOptions), output);
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
        return read(folder);
    }

    private static Cluster read(Path folder) throws IOException {
        JsonNode json = new ObjectMapper().readTree(folder.resolve("cluster.json").toFile());
        List<Server> servers = new ArrayList<>();
        json.at("/processes").forEach(
                process -> servers.add(new Server(process.path("pid").asLong(), process.path("port").asInt())));
        return new Cluster(folder, json.at("/url").asText(), json.at("/nginx/port").asInt(),
                json.at("/nginx/pid").asLong(), json.at("/adminToken").asText(), List.copyOf(servers),
                json.at("/postgres/pid").asLong(), json.at("/postgres/port").asInt(),
                json.at("/postgres/database").asText(),
                Files.readString(folder.resolve("secrets/postgres-superuser"), StandardCharsets.UTF_8).strip());
    }

    /** The number of the only {@code serve} process, or of the first. */
    public long serverPid() {
        return servers.get(0).pid();
    }
}
