package io.bellwether.source;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.bellwether.settings.SettingsException;

/**
 * Where feeds may come from ({@code BELLWETHER_SOURCE_ALLOW}), so that whoever may define a set cannot use the server to
 * reach into its own network. A list of
 *
 * <ul>
 * <li>host names, {@code feeds.example.com}, {@code *.example.com} (names below it) or {@code *} (any); a port may follow;
 * <li>addresses and blocks, {@code 10.1.2.3}, {@code 10.0.0.0/8}, {@code [::1]:8080}: they may be connected to by
 * whatever name, also those that are reserved: loopback, link-local, cloud metadata;
 * <li>{@code localhost}: the name, and the loopback addresses;
 * <li>{@code file:/folder}: files in that folder and below, symbolic links resolved.
 * </ul>
 *
 * <p>An empty list stands for {@code *}: any host, no reserved address, no file. A name is resolved, and <em>all</em> its
 * addresses have to be allowed, at each hop of a redirect again. What remains: between the check and the connection the
 * JDK resolves the name once more, usually out of its cache of 30 seconds ({@code networkaddress.cache.ttl}); a hostile
 * name server that answers otherwise in the moment the entry expires gets one request through (DNS rebinding). Whoever
 * must exclude that lists hosts by name, or keeps the server from such addresses by a firewall. Immutable.
 */
public final class SourceAllow {
    private static final String NAME = "BELLWETHER_SOURCE_ALLOW";

    private final List<HostRule> hosts;
    private final List<AddressBlock> blocks;
    private final List<Path> folders;
    private final Resolver resolver;

    /** Finds the addresses of a host name; the JDK's own in production. */
    interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    private SourceAllow(List<HostRule> hosts, List<AddressBlock> blocks, List<Path> folders, Resolver resolver) {
        this.hosts = List.copyOf(hosts);
        this.blocks = List.copyOf(blocks);
        this.folders = List.copyOf(folders);
        this.resolver = resolver;
    }

    /**
     * Reads the setting.
     *
     * @param entries as the operator wrote them; none for the default
     * @throws SettingsException with a complaint for each entry that is of no known form
     */
    public static SourceAllow parse(List<String> entries) throws SettingsException {
        return parse(entries, InetAddress::getAllByName);
    }

    static SourceAllow parse(List<String> entries, Resolver resolver) throws SettingsException {
        List<HostRule> hosts = new ArrayList<>();
        List<AddressBlock> blocks = new ArrayList<>();
        List<Path> folders = new ArrayList<>();
        List<String> complaints = new ArrayList<>();
        for (String entry : entries.isEmpty() ? List.of("*") : entries) {
            String complaint = entry.toLowerCase(Locale.ROOT).startsWith("file:")
                    ? folder(entry, folders)
                    : host(entry, hosts, blocks);
            if (complaint != null) {
                complaints.add(NAME + ": '" + entry + "' " + complaint);
            }
        }
        if (!complaints.isEmpty()) {
            throw new SettingsException(complaints);
        }
        return new SourceAllow(hosts, blocks, folders, resolver);
    }

    private static @Nullable String folder(String entry, List<Path> folders) {
        if (entry.contains("*")) {
            return "must be a folder without '*'; all below it is allowed";
        }
        try {
            URI uri = new URI(entry);
            if (uri.getPath() == null || !uri.getPath().startsWith("/") || uri.getAuthority() != null) {
                return "must be an absolute path, as in file:/srv/feeds";
            }
            folders.add(Path.of(uri.getPath()).normalize());
            return null;
        } catch (URISyntaxException | IllegalArgumentException e) {
            return "is not a file: URL (special characters as %20 and so on)";
        }
    }

    private static @Nullable String host(String entry, List<HostRule> hosts, List<AddressBlock> blocks) {
        if (entry.contains("://") || entry.contains("@")) {
            return "must be a host alone, without a scheme or a user, as in feeds.example.com or *.example.com:8443";
        }
        String host = HostRule.normal(entry);
        int port = HostRule.ANY_PORT;
        int colon = entry.lastIndexOf(':');
        boolean bare = colon != entry.indexOf(':') && !entry.startsWith("[");
        if (colon >= 0 && !bare && !entry.endsWith("]")) {
            host = HostRule.normal(entry.substring(0, colon));
            String digits = entry.substring(colon + 1);
            port = digits.matches("[1-9]\\d{0,4}") ? Integer.parseInt(digits) : 0;
            if (port < 1 || port > 65_535) {
                return "must have a port from 1 to 65535 after the colon";
            }
        }
        AddressBlock block = AddressBlock.parse(host, port);
        if (block != null) {
            blocks.add(block);
            return null;
        }
        if (host.indexOf('/') >= 0) {
            return "must be a block such as 10.0.0.0/8, with no bit set beyond its prefix, or a file: folder";
        }
        if (!HostRule.isValid(host)) {
            return "is neither a host name, *.name, *, an address in full, a block such as 10.0.0.0/8, nor a file: folder";
        }
        hosts.add(new HostRule(host, port));
        if (host.equals("localhost")) {
            blocks.add(AddressBlock.of("127.0.0.0/8", port));
            blocks.add(AddressBlock.of("::1", port));
        }
        return null;
    }

    /**
     * What speaks against a source, as far as its URL tells without resolving a name or looking at a disk: for the moment
     * when a set is defined.
     *
     * @return a sentence for whoever defines it; empty if nothing does
     */
    public Optional<String> objection(String url) {
        try {
            SourceUrl source = SourceUrl.parse(url);
            if (source.isFile()) {
                folderOf(path(source));
            } else {
                byte[] literal = AddressBlock.literal(source.host());
                if (literal != null) {
                    check(source, literal);
                } else if (!named(source) && blocks.isEmpty()) {
                    throw notNamed(source);
                }
            }
            return Optional.empty();
        } catch (FeedException e) {
            return Optional.of(e.reason());
        }
    }

    /** Resolves the host and checks each of its addresses. */
    void checkConnection(SourceUrl url) throws FeedException {
        boolean literal = AddressBlock.literal(url.host()) != null;
        if (!literal && !named(url) && blocks.isEmpty()) {
            throw notNamed(url);
        }
        try {
            for (InetAddress address : resolver.resolve(url.lookUpName())) {
                check(url, address.getAddress());
            }
        } catch (UnknownHostException e) {
            throw new FeedException(FeedProblem.UNREACHABLE, "no such host: " + url.host(), e);
        }
    }

    private void check(SourceUrl url, byte[] address) throws FeedException {
        if (blocks.stream().anyMatch(b -> b.covers(address, url.port()))) {
            return;
        }
        if (!named(url)) {
            throw notNamed(url);
        }
        String why = ReservedAddresses.why(address);
        if (why != null) {
            throw new FeedException(FeedProblem.NOT_ALLOWED,
                    "the source's host " + url.host() + " has an address that is "
                            + why + "; " + NAME + " does not allow it");
        }
    }

    private boolean named(SourceUrl url) {
        return hosts.stream().anyMatch(h -> h.covers(url.host(), url.port()));
    }

    private static FeedException notNamed(SourceUrl url) {
        return new FeedException(FeedProblem.NOT_ALLOWED,
                "the source's host " + url.host() + ":" + url.port() + " is not among those that " + NAME + " allows");
    }

    /** The real path of a file, which lies really in an allowed folder. */
    Path checkFile(SourceUrl url) throws FeedException {
        Path path = path(url);
        folderOf(path);
        try {
            Path real = path.toRealPath();
            for (Path folder : folders) {
                if (Files.exists(folder) && real.startsWith(folder.toRealPath())) {
                    return real;
                }
            }
        } catch (IOException e) {
            throw new FeedException(FeedProblem.UNREACHABLE, "no such file, or not readable: " + path, e);
        }
        throw new FeedException(FeedProblem.NOT_ALLOWED,
                "the source " + path + " is a link that leads out of the folders that " + NAME + " allows");
    }

    private void folderOf(Path path) throws FeedException {
        if (folders.stream().noneMatch(path::startsWith)) {
            throw new FeedException(FeedProblem.NOT_ALLOWED,
                    "the source " + path + " is in no folder that " + NAME + " allows");
        }
    }

    private static Path path(SourceUrl url) throws FeedException {
        String path = url.uri().getPath();
        String authority = url.uri().getAuthority();
        boolean here = authority == null || authority.equalsIgnoreCase("localhost");
        if (path == null || !path.startsWith("/") || !here || url.uri().getRawQuery() != null) {
            throw new FeedException(FeedProblem.BAD_REQUEST,
                    "a file source must be an absolute path, as in file:/srv/feeds/feed.ndjson");
        }
        try {
            return Path.of(path).normalize();
        } catch (IllegalArgumentException e) {
            throw new FeedException(FeedProblem.BAD_REQUEST, "the source's path cannot be used on this machine", e);
        }
    }
}
