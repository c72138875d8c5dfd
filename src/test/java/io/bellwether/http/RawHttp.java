package io.bellwether.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A connection on which requests are written byte for byte, for what no client library would send. */
final class RawHttp implements AutoCloseable {
    /** An answer as it came. */
    record Answer(int status, Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "(none)");
        }
    }

    private final Socket socket;
    private final InputStream in;

    RawHttp(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        in = socket.getInputStream();
    }

    /** Writes text with LF as CRLF. */
    void send(String text) throws IOException {
        socket.getOutputStream().write(text.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Sends one request without a body and reads its answer. */
    Answer ask(String method, String target, String... headers) throws IOException {
        send(method + " " + target + " HTTP/1.1\nHost: localhost\n"
                + String.join("", Arrays.stream(headers).map(h -> h + "\n").toList()) + "\n");
        return read(method.equals("HEAD"));
    }

    /** Reads an answer. */
    Answer read(boolean head) throws IOException {
        String status = line();
        if (status.isEmpty()) {
            throw new IOException("the connection was closed without an answer");
        }
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.merge(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip(),
                    (a, b) -> a + ", " + b);
        }
        int code = Integer.parseInt(status.split(" ", 3)[1]);
        byte[] body = new byte[0];
        if (!head && code != 304 && code != 204) {
            body = "chunked".equals(headers.get("transfer-encoding"))
                    ? chunks()
                    : in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        }
        return new Answer(code, headers, body);
    }

    /** Whether the other side has closed, waiting for it. */
    boolean isClosedByServer() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(), 16);
            body.writeBytes(in.readNBytes(size));
            line();
            if (size == 0) {
                return body.toByteArray();
            }
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
