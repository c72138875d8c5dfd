package io.bellwether.http;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.jspecify.annotations.Nullable;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.SetState;

/** The head of a set as it is answered, written out once for all who ask. Immutable. */
final class HeadAnswer {
    private final String etag;
    private final byte[] body;
    private final List<HttpField> fields;
    private final List<HttpField> fieldsWithBody;

    private HeadAnswer(String etag, byte[] body, List<HttpField> fields) {
        this.etag = etag;
        this.body = body;
        this.fields = fields;
        this.fieldsWithBody = Stream.concat(fields.stream(),
                Stream.of(new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, Json.TYPE),
                        new PreEncodedHttpField(HttpHeader.CONTENT_LENGTH, Integer.toString(body.length))))
                .toList();
    }

    private static HeadAnswer of(Heads heads, SetState set) {
        String etag = Reading.tag(heads, set.revision());
        return new HeadAnswer(etag, Json.bytes(SetJson.head(heads, set)),
                List.of(new PreEncodedHttpField(Reading.EPOCH, heads.epoch().toString()),
                        new PreEncodedHttpField(Reading.REVISION, Long.toString(set.revision())),
                        new PreEncodedHttpField(HttpHeader.ETAG, etag),
                        new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, Validators.REVALIDATE)));
    }

    /** Whether an {@code If-None-Match} names it. */
    boolean isNamedBy(@Nullable String ifNoneMatch) {
        return Validators.matches(ifNoneMatch, etag);
    }

    /** The JSON; not to be changed. */
    byte[] body() {
        return body;
    }

    /** The fields of every answer on this head, also of one without a body. */
    List<HttpField> fields() {
        return fields;
    }

    /** Those, and the ones on the body. */
    List<HttpField> fieldsWithBody() {
        return fieldsWithBody;
    }

    /** The answers on the heads that are held now, each made when it is first asked for. Thread safe. */
    static final class Cache {
        private record Made(Heads heads, Map<String, HeadAnswer> bySet) {}

        private volatile @Nullable Made made;

        /** The answer on what was read. */
        // These very heads are meant: comparing what they hold would cost more than the answer.
        @SuppressWarnings("ReferenceEquality")
        HeadAnswer of(Reading.Read read) {
            Made current = made;
            if (current == null || current.heads() != read.heads()) {
                current = new Made(read.heads(), new ConcurrentHashMap<>());
                made = current;
            }
            HeadAnswer answer = current.bySet().get(read.set().name());
            if (answer == null) {
                answer = HeadAnswer.of(read.heads(), read.set());
                current.bySet().put(read.set().name(), answer);
            }
            return answer;
        }
    }
}
