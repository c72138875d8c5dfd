package io.bellwether.source;

import static io.bellwether.source.Feeds.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class HttpRedirectTest {
    private static final byte[] FEED = bytes("{\"key\":\"a\",\"body\":1}\n");
    private static final byte[] NOTHING = {};
    private static final Map<String, String> SECRETS = Map.of("X-Key", "k1k2k3k4");

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void open_redirectAtHome_isFollowedWithSecretsAndValidators(int status) throws Exception {
        try (Upstream upstream = new Upstream(); FeedSource source = source("127.0.0.1")) {
            upstream.on("/old", status, bytes("moved"), "Location", "deep/../new?x#fragment", "ETag", "\"redirect\"");
            upstream.on("/new", 200, FEED, "ETag", "\"feed\"");
            SourceRequest request = SourceRequest.of(upstream.url("/old")).withHeaders(SECRETS)
                    .withValidators(new Validators("\"before\"", null));

            try (FeedStream stream = (FeedStream) source.open(request)) {
                assertThat(Feeds.readAll(stream)).hasSize(1);
                assertThat(stream.validators().etag()).isEqualTo("\"feed\"");
                assertThat(stream.location()).isEqualTo(upstream.url("/new?…"));
            }
            assertThat(upstream.seen()).extracting(Upstream.Seen::path).containsExactly("/old", "/new?x");
            assertThat(upstream.seen()).allSatisfy(seen -> {
                assertThat(seen.headers().getFirst("X-Key")).isEqualTo("k1k2k3k4");
                assertThat(seen.headers().getFirst("If-None-Match")).isEqualTo("\"before\"");
            });
        }
    }

    @Test
    void open_redirectAbroad_dropsSecretsForGood() throws Exception {
        try (Upstream home = new Upstream();
                Upstream abroad = new Upstream();
                FeedSource source = source("127.0.0.1")) {
            home.on("/feed", 302, NOTHING, "Location", abroad.url("/feed"));
            abroad.on("/feed", 302, NOTHING, "Location", home.url("/back"));
            home.on("/back", 200, FEED);

            try (FeedStream stream = (FeedStream) source
                    .open(SourceRequest.of(home.url("/feed")).withHeaders(SECRETS))) {
                assertThat(Feeds.readAll(stream)).hasSize(1);
            }
            assertThat(home.seen().get(0).headers()).containsKey("X-key");
            assertThat(abroad.seen()).singleElement()
                    .satisfies(seen -> assertThat(seen.headers()).doesNotContainKey("X-key"));
            assertThat(home.seen().get(1).headers()).doesNotContainKey("X-key");
        }
    }

    @Test
    void open_redirectToWhatIsNotAllowed_isNotFollowed() throws Exception {
        try (Upstream home = new Upstream(); Upstream abroad = new Upstream()) {
            home.on("/metadata", 302, NOTHING, "Location", "http://169.254.169.254/latest/meta-data");
            home.on("/abroad", 302, NOTHING, "Location", abroad.url("/feed"));
            home.on("/file", 302, NOTHING, "Location", "file:///etc/passwd");
            home.on("/user", 302, NOTHING, "Location", "http://a:tops3cret@127.0.0.1/");
            home.on("/bad", 302, NOTHING, "Location", "http://[");
            home.on("/none", 302, NOTHING);
            String port = home.url("").substring("http://127.0.0.1:".length());
            try (FeedSource source = source("127.0.0.1:" + port, "file:/")) {
                assertThat(problem(source, home.url("/metadata"))).isEqualTo(FeedProblem.NOT_ALLOWED);
                assertThat(problem(source, home.url("/abroad"))).isEqualTo(FeedProblem.NOT_ALLOWED);
                assertThat(problem(source, home.url("/file"))).isEqualTo(FeedProblem.BAD_REDIRECT);
                assertThat(problem(source, home.url("/user"))).isEqualTo(FeedProblem.BAD_REDIRECT);
                assertThat(problem(source, home.url("/bad"))).isEqualTo(FeedProblem.BAD_REDIRECT);
                assertThat(problem(source, home.url("/none"))).isEqualTo(FeedProblem.HTTP_STATUS);
            }
            assertThat(abroad.seen()).isEmpty();
        }
    }

    @Test
    void open_tooManyRedirects_areRefused() throws Exception {
        try (Upstream upstream = new Upstream(); FeedSource source = source("127.0.0.1")) {
            upstream.on("/loop", 302, NOTHING, "Location", "/loop");

            assertThat(problem(source, upstream.url("/loop"))).isEqualTo(FeedProblem.BAD_REDIRECT);
            assertThat(upstream.seen()).hasSize(SourceRequest.DEFAULT_REDIRECTS + 1);
        }
    }

    @Test
    void open_addressNotAllowed_asksNobody() throws Exception {
        try (Upstream upstream = new Upstream(); FeedSource source = source()) {
            upstream.on("/feed", 200, FEED);
            assertThat(problem(source, upstream.url("/feed"))).isEqualTo(FeedProblem.NOT_ALLOWED);
            assertThat(upstream.seen()).isEmpty();
        }
    }

    @Test
    void open_https_verifiesTheCertificateAndNeverFallsBack(@TempDir Path folder) throws Exception {
        SSLContext tls = selfSigned(folder);
        try (Upstream secure = new Upstream(tls);
                Upstream plain = new Upstream();
                FeedSource strict = source("127.0.0.1");
                FeedSource trusting = new FeedSource(SourceAllow.parse(List.of("127.0.0.1")), InstantSource.system(),
                        Duration.ofSeconds(10), tls)) {
            secure.on("/feed", 200, FEED);
            secure.on("/plain", 302, NOTHING, "Location", plain.url("/feed"));
            plain.on("/feed", 200, FEED);

            FeedException refusal = catchThrowableOfType(FeedException.class,
                    () -> strict.open(SourceRequest.of(secure.url("/feed"))));
            assertThat(refusal.problem()).isEqualTo(FeedProblem.UNREACHABLE);
            assertThat(refusal).hasMessageContaining("certificate");
            try (FeedStream stream = (FeedStream) trusting.open(SourceRequest.of(secure.url("/feed")))) {
                assertThat(Feeds.readAll(stream)).hasSize(1);
            }
            assertThat(problem(trusting, secure.url("/plain"))).isEqualTo(FeedProblem.BAD_REDIRECT);
            assertThat(plain.seen()).isEmpty();
        }
    }

    private static SSLContext selfSigned(Path folder) throws Exception {
        Path store = folder.resolve("store");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-keystore", store.toString(), "-storepass", "changeit", "-keyalg", "EC", "-dname",
                "CN=test",
                "-ext", "san=ip:127.0.0.1", "-validity", "30").redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile()).start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "changeit".toCharArray());
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("test", keys.getCertificate("mykey"));
        others.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), others.getTrustManagers(), null);
        return tls;
    }

    private static FeedSource source(String... allow) throws Exception {
        return new FeedSource(SourceAllow.parse(List.of(allow)), InstantSource.system());
    }

    private static FeedProblem problem(FeedSource source, String url) throws IOException {
        FeedException failure = catchThrowableOfType(FeedException.class,
                () -> source.open(SourceRequest.of(url).withHeaders(SECRETS)));
        assertThat(failure).isNotNull();
        assertThat(failure).hasMessageNotContainingAny("tops3cret", "k1k2k3k4");
        return failure.problem();
    }
}
