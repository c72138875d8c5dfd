package io.bellwether.http;

import java.io.IOException;
import java.io.UncheckedIOException;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * JSON as this API speaks it: members in camel case, instants as ISO 8601 in UTC, durations as ISO 8601, digests as
 * lower-case hexadecimal. Trees are built by hand, so that the outside changes only when a line here does.
 */
final class Json {
    static final String TYPE = "application/json";
    static final String LINES_TYPE = "application/x-ndjson";

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.AUTO_CLOSE_SOURCE)
            .build();

    private Json() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static byte[] bytes(JsonNode json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads one JSON value.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} if it is not JSON, names a member twice, or goes on after the value
     */
    static JsonNode read(byte[] body) {
        try {
            JsonNode json = MAPPER.readTree(body);
            if (json.isMissingNode()) {
                throw new Fault(FaultKind.INVALID_REQUEST, "the request must have a JSON body");
            }
            return json;
        } catch (JsonProcessingException e) {
            String where = e.getLocation() == null
                    ? ""
                    : " at line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
            throw new Fault(FaultKind.INVALID_REQUEST, "the body is not JSON" + where + ": " + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw new Fault(FaultKind.INVALID_REQUEST, "the body could not be read", e);
        }
    }
}
