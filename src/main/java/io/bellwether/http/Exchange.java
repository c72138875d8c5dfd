package io.bellwether.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Limits;

/**
 * One request and its answer. Not thread safe; one handler at a time has it.
 *
 * <p>Header fields are set first, then exactly one of {@link #answer}, {@link #json}, {@link #empty}, {@link #stream} or
 * {@link #later} is called.
 */
public final class Exchange implements Asked {
    private final Context context;
    private final String pattern;
    private final Admit admit;
    private final Traffic traffic;
    private volatile Caller caller = new Caller.Anonymous();

    Exchange(Context context, String pattern, Admit admit, Traffic traffic) {
        this.context = context;
        this.pattern = pattern;
        this.admit = admit;
        this.traffic = traffic;
    }

    /** Says who sent a request, if that one may send it now. */
    @FunctionalInterface
    interface Admit {
        /**
         * Looks at the request's token.
         *
         * @throws Fault if it is none, or opens something else
         */
        Caller caller(Exchange exchange);
    }

    /** Asks anew who sent this and whether it may; nobody in particular until then. */
    void admit() {
        caller = admit.caller(this);
    }

    /** Who sent the request. */
    public Caller caller() {
        return caller;
    }

    /** Whether only the header is asked for. */
    public boolean isHead() {
        return context.method().equals(HandlerType.HEAD);
    }

    /**
     * A parameter of the path, decoded.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is not percent-encoded UTF-8
     */
    public String path(String name) {
        return RawPath.parameter(pattern, context.path(), name);
    }

    /**
     * The bytes of a parameter of the path, decoded.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is not percent-encoded UTF-8
     */
    public byte[] pathBytes(String name) {
        return path(name).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A parameter of the path that is a whole number.
     *
     * @throws Fault {@link FaultKind#NOT_FOUND} if it is none
     */
    public long pathNumber(String name) {
        String text = path(name);
        if (!text.matches("[0-9]{1,18}")) {
            throw new Fault(FaultKind.NOT_FOUND, "there is nothing under this path; '" + name + "' is a number");
        }
        return Long.parseLong(text);
    }

    @Override
    public @Nullable String query(String name) {
        return context.queryParam(name);
    }

    /**
     * A parameter of the query that is a whole number.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is none or outside the range
     */
    public long queryNumber(String name, long otherwise, long least, long most) {
        String text = query(name);
        if (text == null) {
            return otherwise;
        }
        if (text.matches("[0-9]{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new Fault(FaultKind.INVALID_REQUEST,
                name + " must be a whole number from " + least + " to " + most + ", not '" + text + "'");
    }

    /**
     * A parameter of the query that is an instant, or null without it.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is of another form
     */
    public @Nullable Instant queryInstant(String name) {
        String text = query(name);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new Fault(FaultKind.INVALID_REQUEST,
                    name + " must be an instant such as 2026-01-31T12:00:00Z, not '" + text + "'", e);
        }
    }

    @Override
    public @Nullable String header(String name) {
        List<String> values = Collections.list(context.req().getHeaders(name));
        return values.isEmpty() ? null : String.join(", ", values);
    }

    /**
     * The body as JSON.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is none, {@link FaultKind#TOO_LARGE} above
     *         {@link Limits#MAX_ADMIN_BODY_BYTES}, {@link FaultKind#UNSUPPORTED_MEDIA_TYPE} if it is said to be something
     *         else
     */
    public JsonNode body() throws IOException {
        return Json.read(bodyBytes());
    }

    /** As {@link #body}, but no body stands for an object without members. */
    public JsonNode bodyOrEmpty() throws IOException {
        byte[] body = bodyBytes();
        return body.length == 0 ? Json.object() : Json.read(body);
    }

    private byte[] bodyBytes() throws IOException {
        byte[] body;
        try (InputStream in = context.req().getInputStream()) {
            body = in.readNBytes(Limits.MAX_ADMIN_BODY_BYTES + 1);
        }
        if (body.length > Limits.MAX_ADMIN_BODY_BYTES) {
            throw new Fault(FaultKind.TOO_LARGE, "the body must be at most " + Limits.MAX_ADMIN_BODY_BYTES + " bytes");
        }
        String type = context.req().getContentType();
        if (body.length > 0 && type != null && !type.split(";", 2)[0].strip().equalsIgnoreCase(Json.TYPE)) {
            throw new Fault(FaultKind.UNSUPPORTED_MEDIA_TYPE,
                    "the body must be " + Json.TYPE + "; Content-Type says " + type);
        }
        return body;
    }

    /** Sets a header field of the answer. */
    public void set(String name, String value) {
        context.res().setHeader(name, value);
    }

    /** Takes a header field of the answer back. */
    void clear(String name) {
        context.res().setHeader(name, null);
    }

    /** Answers with a JSON body. */
    public void json(int status, JsonNode json) throws IOException {
        answer(status, Json.TYPE, Json.bytes(json));
    }

    /** Answers with a body that is in memory. */
    public void answer(int status, String contentType, byte[] body) throws IOException {
        OutputStream out = stream(status, contentType, body.length);
        if (out != null) {
            out.write(body);
        }
    }

    /** Answers without a body. */
    public void empty(int status) {
        begin(status);
        context.res().setContentType(null);
    }

    /**
     * Begins an answer whose body is written afterwards.
     *
     * @param length of the body, or -1 when it is not known
     * @return where to write it; null when only the header was asked for
     */
    public @Nullable OutputStream stream(int status, String contentType, long length) throws IOException {
        begin(status);
        context.res().setContentType(contentType);
        if (length >= 0) {
            context.res().setContentLengthLong(length);
        }
        if (!isHead()) {
            return context.res().getOutputStream();
        }
        if (length < 0) {
            // Sent now, or the length would be given as 0 when the answer ends.
            context.res().flushBuffer();
        }
        return null;
    }

    /**
     * Lets the request wait without a thread. Its token is looked at again when the wait is over: it may have been
     * revoked or have expired meanwhile.
     *
     * @param abandoned completes when there is something to answer, or, true, when the client went away
     * @param answer answers then
     */
    void later(CompletableFuture<Boolean> abandoned, Endpoint answer) {
        context.future(() -> abandoned.thenCompose(gone -> {
            if (isEnded()) {
                // The connection was cut from our side, by the end of a stop: nobody is there to be answered, and
                // whatever touches the request now would only complain.
                return new CompletableFuture<Boolean>();
            }
            traffic.answer(this, exchange -> {
                if (gone) {
                    exchange.abandon();
                } else {
                    exchange.admit();
                    answer.handle(exchange);
                }
            });
            return CompletableFuture.completedFuture(gone);
        }));
    }

    private boolean isEnded() {
        try {
            return context.res().isCommitted();
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Whether an answer is under way. */
    boolean isCommitted() {
        return context.res().isCommitted();
    }

    /** Takes back what was said about a body that will not come. */
    void forgetRepresentation() {
        context.res().resetBuffer();
        for (String name : List.of("ETag", "Content-Length", "Content-Type", "Accept-Ranges",
                "Location", "Preference-Applied", "Last-Modified", "X-Accel-Buffering")) {
            clear(name);
        }
    }

    /** Ends the connection, so that the client sees that its answer is not whole. */
    void abort() {
        endPoint().close();
    }

    /** Ends the connection of a client that went away; 499 in the meters, as nginx has it. */
    void abandon() {
        context.res().setStatus(499);
        abort();
    }

    /**
     * Whether the client has closed its connection. Only for a request that waits: Jetty must not be reading or writing.
     *
     * <p>There is no way to ask but to read. A byte that does come belongs to the next request of an impatient client,
     * and is handed to the parser as one that was read too early.
     */
    boolean isAbandoned() {
        if (context.req().getContentLengthLong() > 0 || context.req().getHeader("Transfer-Encoding") != null) {
            return false;
        }
        ByteBuffer one = BufferUtil.allocate(1);
        try {
            int count = endPoint().fill(one);
            if (count > 0 && endPoint().getConnection() instanceof Connection.UpgradeTo parser) {
                parser.onUpgradeTo(one);
            }
            return count < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private EndPoint endPoint() {
        return ServletContextRequest.getServletContextRequest(context.req()).getConnectionMetaData().getConnection()
                .getEndPoint();
    }

    /** Method, path and caller, for log lines. */
    @Override
    public String toString() {
        return context.method() + " " + context.path() + " of " + caller.name();
    }

    private void begin(int status) {
        context.res().setStatus(status);
        if (traffic.isDraining()) {
            context.res().setHeader("Connection", "close");
        }
    }
}
