package io.bellwether.app;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The name of a process: {@code host-pid-random}. The random part keeps processes apart that share host and pid, as in
 * containers, where every process is pid 1 and hosts may be cloned.
 */
public final class ProcessName {
    private static final int MAX_HOST = 40;

    private ProcessName() {}

    /** A fresh name for this process, of letters, digits, dots and hyphens. */
    public static String create() {
        byte[] random = new byte[4];
        new SecureRandom().nextBytes(random);
        return host() + "-" + ProcessHandle.current().pid() + "-" + HexFormat.of().formatHex(random);
    }

    private static String host() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        String plain = host.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
        return plain.length() > MAX_HOST ? plain.substring(0, MAX_HOST) : plain;
    }
}
