package io.bellwether.http;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/** Failures as problem details (RFC 9457). Stateless. */
final class Problem {
    static final String TYPE = "application/problem+json";

    /** How many seconds a client should wait before it asks again, where that helps. */
    private static final Map<FaultKind, String> RETRY_AFTER = Map.of(FaultKind.NOT_PUBLISHED_YET, "2",
            FaultKind.BEHIND_MIN_REVISION, "1", FaultKind.OVERLOADED, "1", FaultKind.UNAVAILABLE, "2",
            FaultKind.TIMEOUT, "2");

    private Problem() {}

    /** What a client is told of whatever a handler threw. */
    static Fault faultOf(Throwable thrown) {
        if (thrown instanceof Fault fault) {
            return fault;
        }
        if (thrown instanceof SQLException sql) {
            String state = sql.getSQLState() == null ? "" : sql.getSQLState();
            // Class 08: connection exceptions; 57P0x: the server is going away or coming up; 53: out of resources.
            if (sql instanceof SQLTransientConnectionException || state.startsWith("08") || state.startsWith("57P")
                    || state.startsWith("53")) {
                return new Fault(FaultKind.UNAVAILABLE, "the database cannot be reached now", sql);
            }
            // 40P01: a deadlock, 40001: changed meanwhile by another; both pass when tried again.
            if (state.equals("40P01") || state.equals("40001")) {
                return new Fault(FaultKind.UNAVAILABLE, "the database was busy with the same thing; try again", sql);
            }
            // 57014: statement_timeout; 55P03: lock_timeout; 25P04: transaction_timeout.
            if (state.equals("57014") || state.equals("55P03") || state.equals("25P04")) {
                return new Fault(FaultKind.TIMEOUT, "the database took too long", sql);
            }
        }
        return new Fault(FaultKind.INTERNAL, "an unexpected error, which the log of this process tells", thrown);
    }

    /** The type in words. */
    static String title(String type) {
        String words = type.replace('-', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    /** The body of a problem. */
    static byte[] body(int status, String type, String detail) {
        ObjectNode json = Json.object().put("type", "/problems/" + type).put("title", title(type))
                .put("status", status).put("detail", detail);
        return Json.bytes(json);
    }

    /** Answers with a problem, unless an answer is under way already. */
    static void write(Exchange exchange, Fault fault) throws IOException {
        FaultKind kind = fault.kind();
        exchange.forgetRepresentation();
        exchange.set("Cache-Control", "no-store");
        if (kind == FaultKind.UNAUTHENTICATED) {
            exchange.set("WWW-Authenticate", "Bearer realm=\"bellwether\"");
        }
        String retryAfter = RETRY_AFTER.get(kind);
        if (retryAfter != null) {
            exchange.set("Retry-After", retryAfter);
        }
        exchange.answer(kind.status(), TYPE, body(kind.status(), kind.problemType(), fault.detail()));
    }
}
