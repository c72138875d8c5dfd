package io.bellwether.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The cluster's nginx: in the foreground, without privileges, with all it writes in the cluster's folder. */
final class NginxServer {
    private static final Duration START_LIMIT = Duration.ofSeconds(15);
    private static final long MAX_ACCESS_LOG_BYTES = 64L << 20;
    private static final List<String> SHARED = List.of("http.conf", "limits.conf", "proxy.conf", "errors.conf",
            "cached.conf", "locations.conf", "tls.conf");

    private final ClusterDir dir;
    private final Path program;
    private final List<String> earlyErrorLog;
    private final int port;
    private final ClusterOptions.@Nullable Tls tls;

    NginxServer(ClusterDir dir, Path program, int port, ClusterOptions.@Nullable Tls tls)
            throws IOException, InterruptedException {
        this.dir = dir;
        this.program = program;
        // Before it has read its configuration it would else write to the system's own log.
        this.earlyErrorLog = NginxProgram.hasErrorLogOption(program) ? List.of("-e", "stderr") : List.of();
        this.port = port;
        this.tls = tls;
    }

    int port() {
        return port;
    }

    /**
     * Fills in the template for fixed ports.
     *
     * @param template {@code nginx/local.conf.template}
     * @param root whether nginx is started by root; its workers then keep that user, who owns the folder
     * @param tls where it listens for TLS as well, or null
     */
    static String render(String template, int port, List<Integer> processPorts, boolean root,
            ClusterOptions.@Nullable Tls tls) {
        String servers = processPorts.stream().map(p -> "        server 127.0.0.1:" + p + " max_fails=0;")
                .collect(Collectors.joining("\n"));
        return template.replace("@user@", root ? "user root root;" : "").replace("@servers@", servers)
                .replace("@port@", Integer.toString(port)).replace("@tls@", tls == null ? "" : listen(tls));
    }

    /** In the form that nginx has known for long; since 1.25.1 there is another one, and this one works still. */
    private static String listen(ClusterOptions.Tls tls) {
        return "        listen 127.0.0.1:" + tls.port() + " ssl http2;\n        ssl_certificate "
                + quoted(tls.certificate())
                + ";\n        ssl_certificate_key " + quoted(tls.key()) + ";\n        include tls.conf;";
    }

    private static String quoted(Path file) {
        return '"' + file.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Writes the configuration and has nginx check it. */
    void prepare(List<Integer> processPorts) throws IOException, InterruptedException, ClusterException {
        for (String shared : SHARED) {
            Files.write(dir.nginx().resolve(shared), ClusterDir.resource("/nginx/" + shared));
        }
        String template = new String(ClusterDir.resource("/nginx/local.conf.template"), StandardCharsets.UTF_8);
        Files.writeString(dir.nginx().resolve("nginx.conf"),
                render(template, port, processPorts, UserFolders.isRoot(), tls), StandardCharsets.UTF_8);
        List<String> check = new ArrayList<>(command().command());
        check.add("-t");
        Executables.Result result = Executables.run(START_LIMIT, dir.nginx(), Map.of(), check);
        if (result.status() != 0) {
            throw new ClusterException("nginx refuses its configuration: " + result.lines()
                    .filter(l -> l.contains("[emerg]")).findFirst().orElse(result.lastLine()));
        }
    }

    ProcessBuilder command() {
        List<String> command = new ArrayList<>();
        command.add(program.toString());
        command.addAll(earlyErrorLog);
        command.addAll(List.of("-p", dir.nginx() + "/", "-c", dir.nginx().resolve("nginx.conf").toString()));
        return new ProcessBuilder(command).directory(dir.nginx().toFile());
    }

    void awaitReady(Child child) throws InterruptedException, ClusterException {
        if (!Waiting.until(START_LIMIT, () -> child.status().isPresent() || listens(child.pid()) && answers())
                || child.status().isPresent()) {
            throw new ClusterException("nginx does not start (" + child.lastLines().stream()
                    .filter(l -> l.contains("[emerg]")).findFirst().orElse("it said nothing") + "); its log is "
                    + child.log().file());
        }
    }

    /** nginx tries for two seconds to have a port that somebody else has, who may answer meanwhile. */
    private boolean listens(long pid) {
        try {
            return Files.readString(dir.nginx().resolve("nginx.pid")).strip().equals(Long.toString(pid));
        } catch (IOException e) {
            return false;
        }
    }

    boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(1000);
            socket.getOutputStream().write("GET /nginx-health HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).endsWith(" 200");
        } catch (IOException e) {
            return false;
        }
    }

    /** Moves a large access log aside and has nginx open a new one. To be called now and then. */
    void rotateAccessLog(Child child) throws IOException {
        Path log = dir.log("nginx-access");
        if (Files.exists(log) && Files.size(log) > MAX_ACCESS_LOG_BYTES) {
            Files.move(log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            child.signal("USR1");
        }
    }
}
