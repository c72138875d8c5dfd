package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * The yardstick of polls, a program of its own: Jetty as it comes, with a handler that does nothing but answer 304 with the
 * header fields in a file, on the thread that read the request. It looks at nothing, neither at the token nor at the tag,
 * so nothing that answers through Jetty can do less. Prints its port; ends when its standard input does.
 */
public final class SmallestJetty {
    private SmallestJetty() {}

    /**
     * Answers.
     *
     * @param args the file with the fields, a line each
     */
    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(args[0]), StandardCharsets.ISO_8859_1);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(lines.stream().anyMatch(SmallestJetty::isDate));
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setIdleTimeout(75_000);
        connector.setAcceptQueueSize(4096);
        server.addConnector(connector);
        server.setHandler(new Unchanged(lines.stream().filter(line -> !isDate(line)).map(SmallestJetty::field)
                .toArray(HttpField[]::new)));
        server.start();
        System.out.println("port " + connector.getLocalPort());
        awaitEndOfInput();
        server.stop();
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing that comes means anything.
        }
    }

    private static boolean isDate(String line) {
        return line.toLowerCase(Locale.ROOT).startsWith("date:");
    }

    private static HttpField field(String line) {
        int colon = line.indexOf(':');
        return new PreEncodedHttpField(line.substring(0, colon), line.substring(colon + 1).strip());
    }

    private static final class Unchanged extends Handler.Abstract.NonBlocking {
        private final HttpField[] fields;
        private final boolean hasLength;

        Unchanged(HttpField[] fields) {
            this.fields = fields;
            this.hasLength = Arrays.stream(fields).anyMatch(field -> HttpHeader.CONTENT_LENGTH.is(field.getName()));
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            // Jetty gives a 304 a length of 0, which the server's has not.
            request.addHttpStreamWrapper(stream -> new HttpStream.Wrapper(stream) {
                @Override
                public void prepareResponse(HttpFields.Mutable prepared) {
                    if (!hasLength) {
                        prepared.remove(HttpHeader.CONTENT_LENGTH);
                    }
                    super.prepareResponse(prepared);
                }
            });
            response.setStatus(304);
            for (HttpField field : fields) {
                response.getHeaders().add(field);
            }
            callback.succeeded();
            return true;
        }
    }
}
