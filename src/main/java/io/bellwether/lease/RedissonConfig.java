package io.bellwether.lease;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

import io.bellwether.settings.Settings;

/**
 * Redisson's configuration from ours. Stateless.
 *
 * <p>One address is a single server; several are a cluster; addresses with the query {@code ?master=name} are the
 * sentinels of that master. Anything else is said in a Redisson YAML file, of which only the lease and the laziness are
 * overruled.
 */
final class RedissonConfig {
    private static final int MILLIS = Math.toIntExact(Gate.DEADLINE_MILLIS);
    private static final String MASTER = "master=";

    private RedissonConfig() {}

    static Config of(Settings.Redis settings, Duration lease) throws IOException {
        Path file = settings.config();
        Config config = file == null ? new Config() : Config.fromYAML(file.toFile());
        if (file == null) {
            config.setThreads(4);
            config.setNettyThreads(4);
            addresses(config, settings);
        }
        // A client that connects when it is made would keep a process from starting while Redis is away.
        config.setLazyInitialization(true);
        config.setLockWatchdogTimeout(lease.toMillis());
        // The lock is advice: it need not wait for replicas.
        config.setCheckLockSyncedSlaves(false);
        return config;
    }

    private static void addresses(Config config, Settings.Redis settings) {
        List<URI> urls = settings.urls();
        URI first = urls.getFirst();
        credentials(config, first, settings);
        String query = first.getQuery() == null ? "" : first.getQuery();
        String[] nodes = urls.stream().map(RedissonConfig::address).toArray(String[]::new);
        if (query.startsWith(MASTER)) {
            bounded(config.useSentinelServers()).setMasterName(query.substring(MASTER.length()))
                    .addSentinelAddress(nodes).setCheckSentinelsList(false);
        } else if (urls.size() > 1) {
            bounded(config.useClusterServers()).addNodeAddress(nodes);
        } else {
            SingleServerConfig single = bounded(config.useSingleServer()).setAddress(nodes[0])
                    .setConnectionPoolSize(8).setConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionPoolSize(2).setSubscriptionConnectionMinimumIdleSize(1);
            String path = first.getPath() == null ? "" : first.getPath();
            if (path.length() > 1) {
                single.setDatabase(Integer.parseInt(path.substring(1)));
            }
        }
    }

    private static <C extends BaseConfig<C>> C bounded(C config) {
        return config.setTimeout(MILLIS).setConnectTimeout(MILLIS).setRetryAttempts(0).setPingConnectionInterval(5_000);
    }

    private static void credentials(Config config, URI url, Settings.Redis settings) {
        String info = url.getUserInfo() == null ? "" : url.getUserInfo();
        int colon = info.indexOf(':');
        String user = colon > 0 ? info.substring(0, colon) : "";
        String password = colon >= 0 ? info.substring(colon + 1) : "";
        if (!settings.password().value().isEmpty()) {
            password = settings.password().value();
        }
        if (!user.isEmpty()) {
            config.setUsername(user);
        }
        if (!password.isEmpty()) {
            config.setPassword(password);
        }
    }

    private static String address(URI url) {
        int port = url.getPort() < 0 ? 6379 : url.getPort();
        return url.getScheme().toLowerCase(Locale.ROOT) + "://" + url.getHost() + ":" + port;
    }
}
