package io.bellwether.endtoend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

import io.bellwether.cluster.LocalCluster;

/** Commands to the cluster's Redis as the user of the processes, past all proxies; a connection for each. */
final class RedisConsole {
    private final LocalCluster cluster;

    RedisConsole(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** The first line of the answer. */
    String command(String text) throws IOException {
        return lines(text, 1).getFirst();
    }

    /** Has that command succeed. */
    void ok(String text) throws IOException {
        String answer = command(text);
        if (!answer.equals("+OK")) {
            throw new AssertionError(text + " was answered by " + answer);
        }
    }

    /** All keys; their names have no line breaks. */
    List<String> keys() throws IOException {
        int keys = Integer.parseInt(command("KEYS *").substring(1));
        List<String> names = new ArrayList<>();
        if (keys > 0) {
            List<String> lines = lines("KEYS *", 1 + 2 * keys);
            for (int i = 2; i < lines.size(); i += 2) {
                names.add(lines.get(i));
            }
        }
        return names;
    }

    /** At most so many lines of the answer; fewer when the server says no more. */
    private List<String> lines(String text, int atMost) throws IOException {
        String password = Files.readString(cluster.dir().resolve("secrets/redis")).strip();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.describe().redis().port());
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.setSoTimeout(5_000);
            String all = "AUTH bellwether " + password + "\r\n" + text + "\r\nQUIT\r\n";
            socket.getOutputStream().write(all.getBytes(StandardCharsets.US_ASCII));
            String authenticated = in.readLine();
            if (!"+OK".equals(authenticated)) {
                throw new IOException("Redis says " + authenticated);
            }
            List<String> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null && lines.size() < atMost; line = in.readLine()) {
                lines.add(line);
            }
            return lines;
        }
    }
}
