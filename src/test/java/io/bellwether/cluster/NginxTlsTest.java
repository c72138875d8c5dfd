package io.bellwether.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS at the front, with a certificate of the test's own. */
class NginxTlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    @Test
    void tls_withACertificate_speaksHttp2AndServesAsThePlainPortDoes() throws Exception {
        KeyStore made = certificate();
        Path certificate = pem("certificate.pem", "CERTIFICATE", made.getCertificate("front").getEncoded());
        Path key = pem("key.pem", "PRIVATE KEY", made.getKey("front", PASSWORD).getEncoded());
        Path root = folder.resolve("front");
        Files.createDirectories(root.resolve("run"));
        int port = new Ports(root.resolve("run/tls.properties")).choose("tls", 18443);
        byte[] whole = ServingStandIn.bundle("a", "7", "11111111-1111-1111-1111-111111111111");
        try (ServingStandIn process = new ServingStandIn();
                TestFront front = new TestFront(root, List.of(process.port()),
                        new ClusterOptions.Tls(port, certificate, key), Map.of());
                HttpClient client = HttpClient.newBuilder().sslContext(trusting(made.getCertificate("front")))
                        .build()) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                if (!version.name().equals("HTTP_2") && !version.name().equals("HTTP_1_1")) {
                    continue;
                }
                HttpRequest.Builder request = HttpRequest
                        .newBuilder(
                                URI.create("https://localhost:" + port + "/v1/sets/a/revisions/7/bundle.ndjson.gz"))
                        .version(version).timeout(Duration.ofSeconds(30)).header("Authorization", "Bearer edge:a");
                HttpResponse<byte[]> all = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                assertThat(all.version()).isEqualTo(version);
                assertThat(all.statusCode()).isEqualTo(200);
                assertThat(Arrays.equals(all.body(), whole)).isTrue();
                HttpResponse<byte[]> part = client.send(request.header("Range", "bytes=5000000-5000009").build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                assertThat(part.statusCode()).isEqualTo(206);
                assertThat(part.headers().firstValue("Bellwether-Cache")).contains("HIT");
                assertThat(part.body()).isEqualTo(Arrays.copyOfRange(whole, 5_000_000, 5_000_010));
            }
            HttpResponse<byte[]> plain = client.send(
                    HttpRequest.newBuilder(URI.create(front.url() + "/v1/x")).build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(plain.statusCode()).isEqualTo(200);
            String mistaken = RawHttp.exchange(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(mistaken).startsWith("HTTP/1.1 400").contains("/problems/invalid-request");
        }
    }

    private KeyStore certificate() throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-Duser.language=en", "-genkeypair", "-alias", "front", "-keyalg", "EC", "-groupname", "secp256r1",
                "-dname", "CN=localhost", "-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "2", "-storetype",
                "PKCS12", "-keystore", store.toString(), "-storepass", new String(PASSWORD)).redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        return KeyStore.getInstance(store.toFile(), PASSWORD);
    }

    private Path pem(String name, String what, byte[] der) throws Exception {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
        return Files.writeString(folder.resolve(name),
                "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }

    private static SSLContext trusting(Certificate certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("front", certificate);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
