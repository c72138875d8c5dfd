package io.bellwether.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.bellwether.settings.SettingsException;

final class SourceAllowTest {
    /** A name server under our control; a name it does not know is an ordinary host. */
    private static InetAddress[] resolve(String host) throws UnknownHostException {
        Map<String, List<String>> names = new HashMap<>();
        names.put("localhost", List.of("127.0.0.1", "::1"));
        names.put("two-faced.example", List.of("93.184.216.34", "127.0.0.1"));
        names.put("inside.example", List.of("10.1.2.3"));
        names.put("metadata.google.internal", List.of("169.254.169.254"));
        names.put("rebound.example", List.of("::ffff:127.0.0.1"));
        if (host.equals("nowhere.example")) {
            throw new UnknownHostException(host);
        }
        boolean literal = AddressBlock.literal(host) != null;
        List<String> addresses = literal ? List.of(host) : names.getOrDefault(host, List.of("93.184.216.34"));
        return addresses.stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
    }

    private static SourceAllow allow(String... entries) throws SettingsException {
        return SourceAllow.parse(List.of(entries), SourceAllowTest::resolve);
    }

    private static boolean connects(SourceAllow allow, String url) throws FeedException {
        FeedException refusal = catchThrowableOfType(FeedException.class,
                () -> allow.checkConnection(SourceUrl.parse(url)));
        if (refusal != null) {
            assertThat(refusal.problem()).as(refusal.getMessage()).isEqualTo(FeedProblem.NOT_ALLOWED);
            assertThat(refusal).hasMessageContaining("BELLWETHER_SOURCE_ALLOW");
        }
        return refusal == null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://feeds.example.com/x", "http://inside.example:8080/", "http://10.0.0.1/",
            "http://192.168.1.1/", "http://[2606:2800:220:1::1]/", "http://FEEDS.example.com./"})
    void default_ordinaryHost_isAllowed(String url) throws Exception {
        assertThat(connects(allow(), url)).isTrue();
        assertThat(allow().objection(url)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1/", "http://127.255.0.9:8080/", "http://[::1]/", "http://0.0.0.0/",
            "http://[::]/", "http://169.254.169.254/latest/meta-data", "http://169.254.1.1/", "http://[fe80::1]/",
            "http://100.100.100.200/", "http://168.63.129.16/", "http://[fd00:ec2::254]/", "http://224.0.0.1/",
            "http://255.255.255.255/", "http://[ff02::1]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/",
            "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:7f00:1::]/"})
    void default_reservedAddress_isRefusedAlreadyWhenDefined(String url) throws Exception {
        assertThat(connects(allow(), url)).isFalse();
        assertThat(allow().objection(url)).hasValueSatisfying(
                reason -> assertThat(reason).contains("BELLWETHER_SOURCE_ALLOW"));
        assertThat(connects(allow("*"), url)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost/", "http://two-faced.example/", "http://metadata.google.internal/",
            "http://rebound.example/"})
    void default_nameWithAReservedAddress_isRefusedWhenConnected(String url) throws Exception {
        assertThat(connects(allow(), url)).isFalse();
        assertThat(connects(allow("*", SourceUrl.parse(url).host() + ":81"), url)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://0x7f000001/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/",
            "http:///x", "http://a_b/", "http://user:pw@example.com/", "http://example.com/#x", "ftp://example.com/",
            "x",
            "http://example.com:0/", "http://example.com:70000/", "http://exa mple.com/", "file:feed",
            "file://host/feed",
            "file:/feed?x", "jar:file:/x!/y", "http://[fe80::1%25eth0]/"})
    void objection_unusableUrl_saysWhy(String url) throws Exception {
        assertThat(allow("*", "file:/").objection(url)).isPresent();
    }

    @Test
    void names_coverHostsAndPorts() throws Exception {
        SourceAllow allow = allow("Feeds.Example.com", "*.corp.example:8443");

        assertThat(connects(allow, "https://feeds.example.com/")).isTrue();
        assertThat(connects(allow, "http://feeds.example.com.:99/")).isTrue();
        assertThat(connects(allow, "https://a.b.corp.example:8443/")).isTrue();
        assertThat(connects(allow, "https://a.corp.example/")).isFalse();
        assertThat(connects(allow, "https://corp.example:8443/")).isFalse();
        assertThat(connects(allow, "https://evilcorp.example:8443/")).isFalse();
        assertThat(connects(allow, "https://x.feeds.example.com/")).isFalse();
        assertThat(connects(allow, "https://feeds.example.com.evil.example/")).isFalse();
        assertThat(allow.objection("https://other.example/")).isPresent();
        assertThat(allow.objection("https://feeds.example.com/")).isEmpty();
    }

    @Test
    void addresses_openWhatIsReserved() throws Exception {
        assertThat(connects(allow("127.0.0.1:8080"), "http://127.0.0.1:8080/")).isTrue();
        assertThat(connects(allow("127.0.0.1:8080"), "http://127.0.0.1:8081/")).isFalse();
        assertThat(connects(allow("[::1]:8080"), "http://[::1]:8080/")).isTrue();
        assertThat(connects(allow("::1"), "http://[0:0:0:0:0:0:0:1]:8080/")).isTrue();
        assertThat(connects(allow("10.1.0.0/16"), "http://inside.example/")).isTrue();
        assertThat(connects(allow("10.1.0.0/16"), "http://feeds.example.com/")).isFalse();
        assertThat(connects(allow("10.1.0.0/16"), "http://10.2.0.1/")).isFalse();
        assertThat(connects(allow("localhost"), "http://localhost:1234/")).isTrue();
        assertThat(connects(allow("localhost"), "http://127.0.0.1/")).isTrue();
        assertThat(connects(allow("localhost:80"), "http://localhost:81/")).isFalse();
        assertThat(connects(allow("127.0.0.1"), "http://localhost/")).as("it is ::1 as well").isFalse();
        assertThat(connects(allow("*", "127.0.0.0/8"), "http://two-faced.example/")).isTrue();
        assertThat(allow("10.1.0.0/16").objection("http://inside.example/")).as("known when resolved").isEmpty();
    }

    @Test
    void checkConnection_unknownHost_isUnreachable() throws Exception {
        FeedException failure = catchThrowableOfType(FeedException.class,
                () -> allow().checkConnection(SourceUrl.parse("http://nowhere.example/")));
        assertThat(failure.problem()).isEqualTo(FeedProblem.UNREACHABLE);
    }

    @Test
    void parse_badEntries_complainsOfEach() {
        List<String> bad = List.of("https://example.com", "user@example.com", "example.com:0", "example.com:99999",
                "example.com:x", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/x", "256.0.0.1", "127.1", "0x7f.1",
                "*foo.example",
                "a..b", "-a.example", "*.*.example", "::1::", "fe80::/129", "file:relative", "file://host/x",
                "file:/x/*", "file:/a b", "/srv/feeds", "ex_ample.com", "");

        assertThatThrownBy(() -> allow(bad.toArray(String[]::new))).isInstanceOfSatisfying(SettingsException.class,
                e -> assertThat(e.complaints()).hasSameSizeAs(bad).allSatisfy(
                        complaint -> assertThat(complaint).startsWith("BELLWETHER_SOURCE_ALLOW: '")));
    }

    @Test
    void files_onlyInAllowedFolders(@TempDir Path folder) throws Exception {
        Path inside = Files.createDirectories(folder.resolve("inside/deep"));
        Path outside = Files.createDirectories(folder.resolve("insider"));
        Path good = Files.writeString(inside.resolve("feed"), "x");
        Path bad = Files.writeString(outside.resolve("feed"), "x");
        Files.createSymbolicLink(inside.resolve("out"), bad);
        Files.createSymbolicLink(outside.resolve("in"), good);
        Files.createSymbolicLink(folder.resolve("alias"), folder.resolve("inside"));
        SourceAllow allow = allow("file:" + folder.resolve("inside"), "file://" + folder.resolve("alias"));

        assertThat(allow.checkFile(url(good))).isEqualTo(good.toRealPath());
        assertThat(allow.checkFile(url(folder.resolve("alias/deep/feed")))).isEqualTo(good.toRealPath());
        for (Path refused : List.of(bad, inside.resolve("out"), outside.resolve("in"),
                inside.resolve("../../insider/feed"),
                folder.resolve("inside/../insider/feed"), Path.of("/etc/passwd"))) {
            assertThat(problem(allow, url(refused))).as(refused.toString()).isEqualTo(FeedProblem.NOT_ALLOWED);
        }
        assertThat(problem(allow, url(inside.resolve("none")))).isEqualTo(FeedProblem.UNREACHABLE);
        assertThat(problem(allow(), url(good))).isEqualTo(FeedProblem.NOT_ALLOWED);
        assertThat(allow().objection("file:" + good)).isPresent();
        assertThat(allow.objection("file:" + good)).isEmpty();
        assertThat(allow("file:/").checkFile(url(bad))).isEqualTo(bad.toRealPath());
        assertThat(connects(allow, "http://feeds.example.com/")).as("a folder allows no host").isFalse();
    }

    private static SourceUrl url(Path path) throws FeedException {
        return SourceUrl.parse("file:" + path);
    }

    private static FeedProblem problem(SourceAllow allow, SourceUrl url) throws IOException {
        FeedException refusal = catchThrowableOfType(FeedException.class, () -> allow.checkFile(url));
        assertThat(refusal).isNotNull();
        return refusal.problem();
    }

    @Test
    void toString_url_hidesTheQuery() throws FeedException {
        assertThat(SourceUrl.parse("https://h.example/feed?sig=secret")).hasToString("https://h.example/feed?…");
        assertThat(Stream.of(SourceRequest.of("https://h.example/feed?sig=secret")
                .withHeaders(Map.of("Authorization", "Bearer secret")))).allSatisfy(
                        request -> assertThat(request.toString()).contains("Authorization").doesNotContain("secret"));
    }
}
