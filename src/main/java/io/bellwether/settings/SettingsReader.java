package io.bellwether.settings;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Reads {@link Settings} from environment variables. Stateless. */
public final class SettingsReader {
    /** Every variable of {@code serve}; the secret ones also as {@code …_FILE}. */
    private static final List<String> KNOWN = List.of("BELLWETHER_PORT", "BELLWETHER_BIND", "BELLWETHER_DATABASE_URL",
            "BELLWETHER_DATABASE_USER", "BELLWETHER_DATABASE_PASSWORD", "BELLWETHER_DATABASE_PASSWORD_FILE",
            "BELLWETHER_DATABASE_POOL", "BELLWETHER_REDIS_URL", "BELLWETHER_REDIS_URL_FILE", "BELLWETHER_REDIS_CONFIG",
            "BELLWETHER_REDIS_PASSWORD", "BELLWETHER_REDIS_PASSWORD_FILE",
            "BELLWETHER_ADMIN_TOKEN", "BELLWETHER_ADMIN_TOKEN_FILE", "BELLWETHER_DATA_DIR", "BELLWETHER_LEASE",
            "BELLWETHER_CLOCK_OFFSET", "BELLWETHER_SOURCE_ALLOW", "BELLWETHER_SHUTDOWN_GRACE");

    /** Variables of the command line and its start script that are no settings of {@code serve}. */
    private static final List<String> FOREIGN = List.of("BELLWETHER_JVM_OPTS", "BELLWETHER_START_CACHE",
            "BELLWETHER_URL", "BELLWETHER_TOKEN",
            "BELLWETHER_TOKEN_FILE");

    private static final int MIN_TOKEN_LENGTH = 16;

    private SettingsReader() {}

    /**
     * Reads the settings.
     *
     * @param environment variables by name; those that do not begin with {@code BELLWETHER_} are ignored
     * @return the settings, complete
     * @throws SettingsException with all complaints, if there is any
     */
    public static Settings read(Map<String, String> environment) throws SettingsException {
        Variables in = new Variables(environment);
        in.refuseUnknown(KNOWN, FOREIGN);

        int port = in.integer("BELLWETHER_PORT", 0, 65_535, 7001);
        String bind = in.text("BELLWETHER_BIND", "127.0.0.1");
        if (!isAddress(bind)) {
            in.complain("BELLWETHER_BIND must be an address of this machine or a name of one, not '" + bind + "'");
        }
        String url = in.required("BELLWETHER_DATABASE_URL");
        if (!url.isEmpty() && !url.startsWith("jdbc:postgresql:")) {
            in.complain("BELLWETHER_DATABASE_URL must begin with jdbc:postgresql:");
        }
        if (url.contains("password=")) {
            in.complain("BELLWETHER_DATABASE_URL must not hold a password; use BELLWETHER_DATABASE_PASSWORD");
        }
        String user = in.required("BELLWETHER_DATABASE_USER");
        Settings.Secret password = new Settings.Secret(in.secret("BELLWETHER_DATABASE_PASSWORD", ""));
        int pool = in.integer("BELLWETHER_DATABASE_POOL", 4, 200, 12);
        Settings.Redis redis = redis(in);
        String token = in.secret("BELLWETHER_ADMIN_TOKEN", "");
        if (token.isEmpty()) {
            in.complain("BELLWETHER_ADMIN_TOKEN (or BELLWETHER_ADMIN_TOKEN_FILE) is required");
        } else if (token.length() < MIN_TOKEN_LENGTH || !token.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            in.complain("BELLWETHER_ADMIN_TOKEN must be at least " + MIN_TOKEN_LENGTH
                    + " printable ASCII characters without spaces");
        }
        String dataDir = in.required("BELLWETHER_DATA_DIR");
        if (!dataDir.isEmpty()) {
            in.directory("BELLWETHER_DATA_DIR", dataDir);
        }
        Duration lease = in.duration("BELLWETHER_LEASE", Duration.ofSeconds(2), Duration.ofMinutes(10),
                Duration.ofSeconds(30));
        Duration offset = in.duration("BELLWETHER_CLOCK_OFFSET", Duration.ofDays(-3650), Duration.ofDays(3650),
                Duration.ZERO);
        Duration grace = in.duration("BELLWETHER_SHUTDOWN_GRACE", Duration.ZERO, Duration.ofMinutes(10),
                Duration.ofSeconds(20));
        List<String> allow = list(in.text("BELLWETHER_SOURCE_ALLOW", ""));

        in.throwIfAny();
        return new Settings(port, bind, new Settings.Database(url, user, password, pool), redis,
                new Settings.Secret(token), Path.of(dataDir).toAbsolutePath(), lease, offset, allow, grace);
    }

    private static boolean isAddress(String text) {
        try {
            return InetAddress.getByName(text) != null;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static Settings.Redis redis(Variables in) {
        String config = in.text("BELLWETHER_REDIS_CONFIG", "");
        String urls = in.secret("BELLWETHER_REDIS_URL", "");
        Settings.Secret password = new Settings.Secret(in.secret("BELLWETHER_REDIS_PASSWORD", ""));
        if (config.isEmpty() == urls.isEmpty()) {
            in.complain("exactly one of BELLWETHER_REDIS_URL and BELLWETHER_REDIS_CONFIG is required");
        }
        if (!config.isEmpty()) {
            return new Settings.Redis(List.of(), password, Path.of(config));
        }
        return new Settings.Redis(list(urls).stream().map(text -> redisUri(in, text)).toList(), password, null);
    }

    private static URI redisUri(Variables in, String text) {
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme();
            if (uri.getHost() != null && ("redis".equals(scheme) || "rediss".equals(scheme))) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Falls through: the complaint must not quote the text, which may hold a password.
        }
        in.complain(
                "BELLWETHER_REDIS_URL: each address must be of the form redis://[:password@]host:port or rediss://…");
        return URI.create("redis://invalid");
    }

    private static List<String> list(String text) {
        return Arrays.stream(text.split("[,\\s]+")).filter(s -> !s.isEmpty()).toList();
    }
}
