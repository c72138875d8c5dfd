package io.bellwether.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The environment that one process of the cluster is configured by. */
final class ServeEnvironment {
    /** What a person may have set for another place, and the cluster decides. */
    private static final List<String> OURS = List.of("BELLWETHER_URL", "BELLWETHER_TOKEN", "BELLWETHER_PORT",
            "BELLWETHER_BIND", "BELLWETHER_DATABASE_URL", "BELLWETHER_DATABASE_USER", "BELLWETHER_DATABASE_PASSWORD",
            "BELLWETHER_DATABASE_PASSWORD_FILE", "BELLWETHER_REDIS_URL", "BELLWETHER_REDIS_URL_FILE",
            "BELLWETHER_REDIS_CONFIG", "BELLWETHER_REDIS_PASSWORD", "BELLWETHER_REDIS_PASSWORD_FILE",
            "BELLWETHER_ADMIN_TOKEN", "BELLWETHER_ADMIN_TOKEN_FILE", "BELLWETHER_DATA_DIR");

    /** For several JVMs on a laptop; what a person sets comes later on the command line and so wins. */
    private static final String JVM_OPTS = "-Xms32m -Xmx512m";

    private ServeEnvironment() {}

    static Map<String, String> of(ClusterOptions options, int number, int port, ClusterDir dir, PostgresServer postgres,
            RedisServer redis, String adminToken) {
        Map<String, String> env = new TreeMap<>(options.environment());
        OURS.forEach(env::remove);
        env.put("BELLWETHER_PORT", Integer.toString(port));
        env.put("BELLWETHER_BIND", "127.0.0.1");
        env.put("BELLWETHER_DATABASE_URL", postgres.jdbcUrl());
        env.put("BELLWETHER_DATABASE_USER", PostgresServer.ROLE);
        env.put("BELLWETHER_DATABASE_PASSWORD", postgres.password());
        env.put("BELLWETHER_REDIS_URL", redis.url());
        env.put("BELLWETHER_ADMIN_TOKEN", adminToken);
        env.put("BELLWETHER_DATA_DIR", dir.processData().toString());
        env.putIfAbsent("BELLWETHER_SOURCE_ALLOW", "*,localhost,file:/");
        // A person who presses ctrl-C waits for this.
        env.putIfAbsent("BELLWETHER_SHUTDOWN_GRACE", "PT5S");
        env.merge("BELLWETHER_JVM_OPTS", JVM_OPTS, (theirs, ours) -> ours + " " + theirs);
        env.put("JAVA_HOME", System.getProperty("java.home"));
        env.putAll(options.overrides().getOrDefault(number, Map.of()));
        return env;
    }
}
