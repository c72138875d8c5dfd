package io.bellwether.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * What runs where: the content of {@code DIR/cluster.json}, for scripts and load tests. It holds passwords, so the file has
 * mode 0600. A process that died and was started again has a new pid, and a new name once it is ready.
 *
 * @param url nginx's
 * @param adminToken of the admin API
 * @param nginx the front
 * @param postgres the database
 * @param redis the gate
 * @param processes by number
 * @param demoToken a downstream server's token for the set {@code demo}; none without the demo
 */
public record ClusterFile(String url, String adminToken, Nginx nginx, Postgres postgres, Redis redis,
        List<ServeProcess> processes, @Nullable String demoToken) {
    private static final ObjectMapper JSON = new ObjectMapper()
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    /**
     * The front.
     *
     * @param pid of the master
     * @param port on 127.0.0.1
     */
    public record Nginx(long pid, int port) {}

    /**
     * The database.
     *
     * @param pid of the postmaster
     * @param port on 127.0.0.1
     * @param jdbcUrl of Bellwether's database
     * @param user Bellwether's role
     * @param password its password
     * @param database Bellwether's database
     */
    public record Postgres(long pid, int port, String jdbcUrl, String user, String password, String database) {}

    /**
     * The gate.
     *
     * @param pid of the server
     * @param port on 127.0.0.1
     * @param url with user and password, as the processes use it
     */
    public record Redis(long pid, int port, String url) {}

    /**
     * One {@code serve} process.
     *
     * @param name as in its log lines and runs; empty while it is starting
     * @param pid of its JVM
     * @param port of its own, on 127.0.0.1
     * @param url the same
     */
    public record ServeProcess(String name, long pid, int port, String url) {}

    /** Reads the file of a running cluster. */
    public static ClusterFile read(Path file) throws IOException {
        return JSON.readValue(Files.readAllBytes(file), ClusterFile.class);
    }

    void write(Path file) throws IOException {
        Secrets.writePrivate(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }
}
