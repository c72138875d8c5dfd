package io.bellwether.http;

import java.nio.ByteBuffer;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** What Jetty itself refuses (a request that is not HTTP, too large a header, a path it cannot take) as problems. */
final class ErrorAnswers extends ErrorHandler {
    @Override
    protected void generateResponse(Request request, Response response, int code, @Nullable String message,
            @Nullable Throwable cause, Callback callback) {
        byte[] body = Problem.body(code, typeOf(code), detailOf(code));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.TYPE);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    private static String typeOf(int status) {
        return switch (status) {
            case 404 -> "not-found";
            case 405 -> "method-not-allowed";
            case 413, 414, 431 -> "too-large";
            case 503 -> "overloaded";
            default -> status < 500 ? "invalid-request" : "internal";
        };
    }

    private static String detailOf(int status) {
        return switch (status) {
            case 404 -> "there is nothing under this path";
            case 405 -> "this method is not allowed here";
            case 413 -> "the body is too large";
            case 414 -> "the path is too long";
            case 431 -> "the header is too large";
            case 503 -> "too much to do at the moment";
            default -> status < 500 ? "the request is not one that HTTP allows" : "an unexpected error";
        };
    }
}
