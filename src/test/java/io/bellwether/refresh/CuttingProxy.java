package io.bellwether.refresh;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands between a client and PostgreSQL, and cuts a connection around its next COMMIT when told to. */
final class CuttingProxy implements Closeable {
    /** Where it cuts. */
    enum Cut {
        NEVER, BEFORE_COMMIT, AFTER_COMMIT
    }

    private final ServerSocket listener;
    private final int target;
    private volatile Cut cut = Cut.NEVER;

    CuttingProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts the next connection that commits, before the server sees that or after it answered. */
    void cutNext(Cut where) {
        cut = where;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                AtomicBoolean silenced = new AtomicBoolean();
                Thread.ofVirtual().start(() -> toServer(client, server, silenced));
                Thread.ofVirtual().start(() -> toClient(server, client, silenced));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void toServer(Socket client, Socket server, AtomicBoolean silenced) {
        byte[] buffer = new byte[64 << 10];
        try (client; server) {
            for (int read = client.getInputStream().read(buffer); read > 0; read = client.getInputStream()
                    .read(buffer)) {
                Cut where = cut;
                if (where != Cut.NEVER
                        && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("COMMIT")) {
                    cut = Cut.NEVER;
                    if (where == Cut.BEFORE_COMMIT) {
                        return;
                    }
                    silenced.set(true);
                }
                server.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One side is gone; the other one goes with it.
        }
    }

    private static void toClient(Socket server, Socket client, AtomicBoolean silenced) {
        byte[] buffer = new byte[64 << 10];
        try (client; server) {
            // The first answer after it was silenced is that to the COMMIT; the client shall not see it.
            for (int read = server.getInputStream().read(buffer); read > 0 && !silenced.get(); read = server
                    .getInputStream().read(buffer)) {
                client.getOutputStream().write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One side is gone; the other one goes with it.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
