package io.bellwether.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Bytes out, bytes in: for requests that no well-behaved client would send. */
final class RawHttp {
    private RawHttp() {}

    /** What the server on this loopback port said until it closed or paused for half a second after it had begun. */
    static String exchange(int port, String request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.setSoTimeout(30_000);
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            try {
                for (int b = in.read(); b >= 0; b = in.read()) {
                    answer.write(b);
                    socket.setSoTimeout(500);
                }
            } catch (SocketTimeoutException e) {
                // it paused: that was the answer
            }
            return answer.toString(StandardCharsets.UTF_8);
        }
    }
}
