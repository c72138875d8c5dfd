package io.bellwether.source;

import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.OptionalLong;

/** A feed in the body of an answer with status 200. Not thread-safe. */
final class HttpTransport implements FeedStream.Transport {
    private final SourceUrl url;
    private final HttpResponse<HttpBody> answer;

    HttpTransport(SourceUrl url, HttpResponse<HttpBody> answer) {
        this.url = url;
        this.answer = answer;
    }

    @Override
    public InputStream body() {
        return answer.body();
    }

    @Override
    public String contentEncoding() {
        return String.join(", ", answer.headers().allValues("Content-Encoding"));
    }

    @Override
    public OptionalLong length() {
        return answer.headers().firstValueAsLong("Content-Length");
    }

    @Override
    public Validators validators() {
        return validators(answer);
    }

    static Validators validators(HttpResponse<?> answer) {
        return new Validators(answer.headers().firstValue("ETag").orElse(null),
                answer.headers().firstValue("Last-Modified").orElse(null));
    }

    @Override
    public String location() {
        return url.toString();
    }

    @Override
    public void checkWhole() {
        // The body compared its length with what was promised when it ended.
    }
}
