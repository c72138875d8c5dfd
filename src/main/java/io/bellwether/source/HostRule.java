package io.bellwether.source;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Hosts by name: one name, {@code *.example.com} (all names below it, at any depth, but not itself) or {@code *}.
 *
 * @param pattern in lower case
 * @param port the one port meant, or {@link #ANY_PORT}
 */
record HostRule(String pattern, int port) {
    static final int ANY_PORT = -1;

    private static final Pattern FORM = Pattern
            .compile("\\*|(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern ALMOST_ADDRESS = Pattern.compile("(.*\\.)?(\\d+|0x[0-9a-f]*)");

    /** Whether {@code pattern} could be such a rule. */
    static boolean isValid(String pattern) {
        return FORM.matcher(pattern).matches() && !isDisguisedAddress(pattern) && pattern.length() <= 253;
    }

    /** Whether this is no address, but would be taken for one somewhere: 127.1, 0x7f.1, 2130706433, fe80::1%eth0. */
    static boolean isDisguisedAddress(String host) {
        return AddressBlock.literal(host) == null && (ALMOST_ADDRESS.matcher(host).matches() || host.indexOf('%') >= 0);
    }

    /** The one form in which hosts are compared. */
    static String normal(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        if (lower.startsWith("[") && lower.endsWith("]")) {
            return lower.substring(1, lower.length() - 1);
        }
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    boolean covers(String host, int toPort) {
        if (port != ANY_PORT && port != toPort) {
            return false;
        }
        if (pattern.equals("*")) {
            return true;
        }
        return pattern.startsWith("*.")
                ? host.length() > pattern.length() - 1 && host.endsWith(pattern.substring(1))
                : host.equals(pattern);
    }
}
