package io.bellwether.source;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses, as in {@code 10.0.0.0/8}, perhaps at one port alone. Immutable.
 */
final class AddressBlock {
    private static final Pattern V4 = Pattern.compile("(0|[1-9]\\d{0,2})(\\.(0|[1-9]\\d{0,2})){3}");
    private static final Pattern V6 = Pattern.compile("[0-9a-f.]*:[0-9a-f:.]*");

    private final byte[] first;
    private final int bits;
    private final int port;

    private AddressBlock(byte[] first, int bits, int port) {
        this.first = first;
        this.bits = bits;
        this.port = port;
    }

    /**
     * Reads an address, or an address and the length of a prefix after a slash.
     *
     * @return null if it is neither, or has bits set beyond the prefix
     */
    static @Nullable AddressBlock parse(String text, int port) {
        int slash = text.indexOf('/');
        byte[] address = literal(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        int width = address.length * Byte.SIZE;
        if (slash < 0) {
            return new AddressBlock(address, width, port);
        }
        String prefix = text.substring(slash + 1);
        int bits = prefix.matches("\\d{1,3}") ? Integer.parseInt(prefix) : -1;
        if (bits < 0 || bits > width || !Arrays.equals(address, masked(address, bits))) {
            return null;
        }
        return new AddressBlock(address, bits, port);
    }

    /** A block that is right because it is written in this source. */
    static AddressBlock of(String text, int port) {
        AddressBlock block = parse(text, port);
        if (block == null) {
            throw new IllegalArgumentException(text);
        }
        return block;
    }

    /** The bytes of an address in full digits; null for anything that would have to be looked up. */
    static byte @Nullable [] literal(String text) {
        try {
            return V4.matcher(text).matches() || V6.matcher(text).matches()
                    ? InetAddress.ofLiteral(text).getAddress()
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    boolean covers(byte[] address, int toPort) {
        return (port == HostRule.ANY_PORT || port == toPort) && address.length == first.length
                && Arrays.equals(first, masked(address, bits));
    }

    private static byte[] masked(byte[] address, int bits) {
        byte[] masked = address.clone();
        for (int i = 0; i < masked.length; i++) {
            int keep = Math.clamp(bits - (long) i * Byte.SIZE, 0, Byte.SIZE);
            masked[i] &= (byte) (0xff << (Byte.SIZE - keep));
        }
        return masked;
    }
}
