package io.bellwether.http;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that a {@link QuickEndpoint} answers or declines, once. Not thread safe; one thread at a time has it.
 */
final class QuickExchange implements Asked {
    private static final Logger log = LoggerFactory.getLogger(QuickExchange.class);

    /** What becomes of it, of which every exchange needs the same. */
    interface Ends {
        /** Adds the fields of every answer. */
        void complete(HttpFields.Mutable fields);

        /** Takes note of an answer. */
        void answered(QuickExchange exchange, int status, Duration took);

        /** Lets the route's ordinary endpoint answer. */
        void declined(Request request, Response response, Callback callback);
    }

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Routes.Route route;
    private final String parameter;
    private final Ends ends;
    private boolean ended;

    QuickExchange(Request request, Response response, Callback callback, Routes.Route route, String parameter,
            Ends ends) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.route = route;
        this.parameter = parameter;
        this.ends = ends;
    }

    Routes.Route route() {
        return route;
    }

    /** The parameter of the path. */
    String parameter() {
        return parameter;
    }

    @Override
    public @Nullable String header(String name) {
        String found = null;
        for (HttpField field : request.getHeaders()) {
            if (field.is(name)) {
                String value = field.getValue() == null ? "" : field.getValue();
                found = found == null ? value : found + ", " + value;
            }
        }
        return found;
    }

    /** Null: a request with a query is none for here. */
    @Override
    public @Nullable String query(String name) {
        return null;
    }

    /** Runs what is left to do for it on the thread that read it; that must not block. */
    Executor reader() {
        return SelectorConnector.reader(request);
    }

    /** Does a step of the answering; when that fails, the request is declined, or cut when its answer has begun. */
    void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            log.debug("not answered at once: {}", t.toString());
            if (ended) {
                callback.failed(t);
            } else {
                decline();
            }
        }
    }

    /** Leaves it to the route's ordinary endpoint. */
    void decline() {
        end();
        ends.declined(request, response, callback);
    }

    /** Answers without a body. */
    void answer(int status, List<HttpField> fields) {
        begin(status, fields);
        callback.succeeded();
    }

    /** Answers with a body, of which the fields tell the length; it is left out when only the header was asked for. */
    void answer(int status, List<HttpField> fields, byte[] body) {
        begin(status, fields);
        if (HttpMethod.HEAD.is(request.getMethod())) {
            callback.succeeded();
        } else {
            response.write(true, ByteBuffer.wrap(body), callback);
        }
    }

    private void begin(int status, List<HttpField> fields) {
        end();
        response.setStatus(status);
        HttpFields.Mutable all = response.getHeaders();
        for (int i = 0; i < fields.size(); i++) {
            all.add(fields.get(i));
        }
        ends.complete(all);
        ends.answered(this, status, Duration.ofNanos(NanoTime.since(request.getHeadersNanoTime())));
    }

    private void end() {
        if (ended) {
            throw new IllegalStateException("answered twice");
        }
        ended = true;
    }

    /** Whether it is a plain request to read, with nothing to it that takes a second thought. */
    static boolean isPlain(Request request) {
        String method = request.getMethod();
        HttpFields fields = request.getHeaders();
        return (HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method)) && request.getHttpURI().getQuery() == null
                && !fields.contains(HttpHeader.CONTENT_LENGTH) && !fields.contains(HttpHeader.TRANSFER_ENCODING)
                && !fields.contains(HttpHeader.EXPECT) && !fields.contains(HttpHeader.UPGRADE);
    }
}
