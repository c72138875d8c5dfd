package io.bellwether.settings;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The settings of one {@code serve} process. Immutable; {@link #toString} shows no secret.
 *
 * @param port to listen on; 0 takes a free one
 * @param bind the address to listen on
 * @param database where PostgreSQL is
 * @param redis where Redis is
 * @param adminToken the bearer token of the admin API
 * @param dataDir the folder shared by the processes of a host: segment cache, last heads
 * @param lease how long a run or a lock outlives a process that fell silent
 * @param clockOffset added to the local clock (tests of skew)
 * @param sourceAllow where feeds may come from: host patterns and {@code file:} folders, as written; empty for the default
 * @param shutdownGrace how long work in progress may take when the process is told to stop
 */
public record Settings(int port, String bind, Database database, Redis redis, Secret adminToken, Path dataDir,
        Duration lease, Duration clockOffset, List<String> sourceAllow, Duration shutdownGrace) {

    /**
     * Where PostgreSQL is.
     *
     * @param url a {@code jdbc:postgresql:} URL, several hosts allowed
     * @param user its role
     * @param password its password, empty for none
     * @param poolSize connections that this process may hold at most
     */
    public record Database(String url, String user, Secret password, int poolSize) {}

    /**
     * Where Redis is: addresses, or a Redisson configuration file.
     *
     * @param urls one or several {@code redis://} or {@code rediss://} addresses
     * @param password for all addresses; empty for none, or where the addresses hold their own
     * @param config a Redisson YAML file, instead of the addresses
     */
    public record Redis(List<URI> urls, Secret password, @Nullable Path config) {
        @Override
        public String toString() {
            return config != null
                    ? config.toString()
                    : urls.stream().map(u -> u.getScheme() + "://" + u.getHost() + ":" + u.getPort()).toList()
                            .toString();
        }
    }

    /** A value that must not be shown. */
    public record Secret(String value) {
        @Override
        public String toString() {
            return value.isEmpty() ? "(none)" : "(secret)";
        }
    }
}
