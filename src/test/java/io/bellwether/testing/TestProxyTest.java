package io.bellwether.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import org.junit.jupiter.api.Test;

/** The tests of faults lean on the proxy: it must stall what it says, and nothing else. */
class TestProxyTest {
    private static final int SHORT_MILLIS = 200;
    private static final int LONG_MILLIS = 10_000;

    @Test
    void stallAnswers_requestsStillArrive_answersComeLater() throws Exception {
        try (ServerSocket target = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                TestProxy proxy = new TestProxy(target::getLocalPort);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                Socket server = target.accept()) {
            proxy.stallAnswers();
            send(client, 1);
            assertThat(receive(server, LONG_MILLIS)).isEqualTo(1);
            send(server, 2);
            assertThatThrownBy(() -> receive(client, SHORT_MILLIS)).isInstanceOf(SocketTimeoutException.class);
            proxy.pass();
            assertThat(receive(client, LONG_MILLIS)).isEqualTo(2);
        }
    }

    @Test
    void stallRequests_thenCut_requestNeverArrives() throws Exception {
        try (ServerSocket target = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                TestProxy proxy = new TestProxy(target.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                Socket server = target.accept()) {
            proxy.stallRequests();
            send(server, 1);
            assertThat(receive(client, LONG_MILLIS)).isEqualTo(1);
            send(client, 2);
            assertThatThrownBy(() -> receive(server, SHORT_MILLIS)).isInstanceOf(SocketTimeoutException.class);
            proxy.cut();
            assertThat(ended(server)).isTrue();
            assertThat(ended(client)).isTrue();
            assertThat(isTaken(proxy.port())).isFalse();
        }
    }

    @Test
    void pass_afterACut_takesConnectionsAgain() throws Exception {
        try (ServerSocket target = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                TestProxy proxy = new TestProxy(target.getLocalPort())) {
            proxy.cut();
            proxy.pass();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                    Socket server = target.accept()) {
                send(client, 3);
                assertThat(receive(server, LONG_MILLIS)).isEqualTo(3);
            }
        }
    }

    /** Whether a connection is made and stays. */
    private static boolean isTaken(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return !ended(socket);
        } catch (IOException e) {
            return false;
        }
    }

    private static void send(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
    }

    private static int receive(Socket socket, int millis) throws IOException {
        socket.setSoTimeout(millis);
        return socket.getInputStream().read();
    }

    private static boolean ended(Socket socket) throws IOException {
        try {
            return receive(socket, LONG_MILLIS) < 0;
        } catch (SocketException e) {
            return true;
        }
    }
}
