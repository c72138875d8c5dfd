package io.bellwether.source;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The addresses that a set's definition must not reach unless the operator names them: the machine itself, its link, and
 * the services of clouds that hand out credentials to whoever asks from inside. Private networks (RFC 1918) are not among
 * them: upstreams live there.
 */
final class ReservedAddresses {
    private static final Map<AddressBlock, String> BLOCKS = new LinkedHashMap<>();
    /** IPv6 prefixes that carry an IPv4 address, by where it stands in them. */
    private static final Map<AddressBlock, Integer> CARRIERS = new LinkedHashMap<>();

    static {
        // Metadata addresses as the clouds document them: AWS, Azure, GCP and most others by the link-local one;
        // Azure's wire server; Alibaba; Oracle Classic; AWS and GCP over IPv6.
        reserve("a cloud metadata address", "169.254.169.254/32", "168.63.129.16/32", "100.100.100.200/32",
                "192.0.0.192/32", "fd00:ec2::254/128", "fd20:ce::254/128");
        reserve("loopback", "127.0.0.0/8", "::1/128");
        reserve("link-local", "169.254.0.0/16", "fe80::/10");
        reserve("of this host", "0.0.0.0/8", "::/128");
        reserve("multicast or reserved", "224.0.0.0/3", "ff00::/8");
        CARRIERS.put(AddressBlock.of("::/96", HostRule.ANY_PORT), 12);
        CARRIERS.put(AddressBlock.of("64:ff9b::/96", HostRule.ANY_PORT), 12);
        CARRIERS.put(AddressBlock.of("64:ff9b:1::/48", HostRule.ANY_PORT), 12);
        CARRIERS.put(AddressBlock.of("2002::/16", HostRule.ANY_PORT), 2);
    }

    private ReservedAddresses() {}

    private static void reserve(String why, String... blocks) {
        for (String block : blocks) {
            BLOCKS.put(AddressBlock.of(block, HostRule.ANY_PORT), why);
        }
    }

    /** What the address is reserved for, in words; null if it is an ordinary one. */
    static @Nullable String why(byte[] address) {
        for (Map.Entry<AddressBlock, String> block : BLOCKS.entrySet()) {
            if (block.getKey().covers(address, HostRule.ANY_PORT)) {
                return block.getValue();
            }
        }
        for (Map.Entry<AddressBlock, Integer> carrier : CARRIERS.entrySet()) {
            if (carrier.getKey().covers(address, HostRule.ANY_PORT)) {
                return why(Arrays.copyOfRange(address, carrier.getValue(), carrier.getValue() + 4));
            }
        }
        return null;
    }
}
