package io.bellwether.http;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Listens for connections, and knows of each one the thread that reads it. Thread safe.
 *
 * <p>An answer that is given later by another thread costs more than itself: the reading thread has to be woken to listen on
 * that connection again, once for each answer. Given by the reading thread, a hundred answers wake it once.
 */
final class SelectorConnector extends ServerConnector {
    private final Map<ManagedSelector, Executor> readers = new ConcurrentHashMap<>();

    /** A connection that knows what reads it. */
    private static final class Connection extends SocketChannelEndPoint {
        private final Executor reader;

        Connection(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler,
                Executor reader) {
            super(channel, selector, key, scheduler);
            this.reader = reader;
        }
    }

    SelectorConnector(Server server, HttpConfiguration http) {
        super(server, 1, -1, new HttpConnectionFactory(http));
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        Executor reader = readers.computeIfAbsent(selector, found -> task -> found.submit(any -> task.run()));
        Connection connection = new Connection(channel, selector, key, getScheduler(), reader);
        connection.setIdleTimeout(getIdleTimeout());
        return connection;
    }

    /**
     * Runs tasks on the thread that reads the requests of this one's connection, the same object for all connections that
     * the thread reads. What it runs must never block, and is lost when the server has stopped.
     *
     * @param request one that came in by such a connector
     */
    static Executor reader(Request request) {
        return ((Connection) request.getConnectionMetaData().getConnection().getEndPoint()).reader;
    }
}
