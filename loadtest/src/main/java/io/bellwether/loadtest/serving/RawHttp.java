package io.bellwether.loadtest.serving;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.bellwether.loadtest.bench.BenchmarkException;

/** Requests as bytes, and single exchanges that show the answer's header as it was sent. */
final class RawHttp {
    private static final int LIMIT_MILLIS = 30_000;
    private static final int LARGEST_HEAD = 64 << 10;

    private RawHttp() {}

    /** The bytes of a GET over a connection that stays. */
    static byte[] get(int port, String path, List<String> fields) {
        StringBuilder text = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nUser-Agent: bellwether-loadtest\r\n");
        fields.forEach(field -> text.append(field).append("\r\n"));
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * The head of an answer.
     *
     * @param status the number
     * @param fields the lines after the first, in their order
     */
    record Head(int status, List<String> fields) {
        /** Reads the lines up to the empty one. */
        static Head parse(String text) {
            List<String> lines = text.lines().filter(line -> !line.isEmpty()).toList();
            if (lines.isEmpty() || !lines.get(0).matches("HTTP/1\\.[01] [0-9]{3}.*")) {
                throw new BenchmarkException("this is no HTTP answer: " + text);
            }
            return new Head(Integer.parseInt(lines.get(0).substring(9, 12)), lines.subList(1, lines.size()));
        }

        /** The value of a field. */
        Optional<String> field(String name) {
            String begin = name.toLowerCase(Locale.ROOT) + ":";
            return fields.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(begin)).findFirst()
                    .map(line -> line.substring(begin.length()).strip());
        }
    }

    /** Asks once, over a connection of its own, and reads no further than the header of the answer. */
    static Head ask(int port, byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LIMIT_MILLIS);
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            int last = 0;
            while (last != 0x0d0a0d0a) {
                int next = in.read();
                if (next < 0 || head.size() > LARGEST_HEAD) {
                    throw new BenchmarkException("an answer's header had no end");
                }
                head.write(next);
                last = last << 8 | next;
            }
            return Head.parse(head.toString(StandardCharsets.ISO_8859_1));
        }
    }
}
