package io.bellwether.http;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;

/**
 * The members of a request's body, read strictly: unknown ones and wrong types are refused, all at once when
 * {@link #done} is called. Not thread safe.
 */
final class RequestMembers {
    private static final int MAX_TEXT = 1000;

    private final JsonNode json;
    private final List<String> complaints = new ArrayList<>();

    RequestMembers(JsonNode json, String... known) {
        this.json = json;
        if (!json.isObject()) {
            throw new Fault(FaultKind.INVALID_REQUEST, "the body must be a JSON object");
        }
        Set<String> names = Set.of(known);
        json.properties().stream().map(member -> member.getKey()).filter(name -> !names.contains(name))
                .forEach(name -> complaints.add(name + " is unknown; "
                        + (names.isEmpty() ? "no member is known" : "known are " + names.stream().sorted().toList())));
    }

    /** A text without control characters, or null when there is none. */
    @Nullable
    String text(String name) {
        JsonNode value = json.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (value.isTextual() && value.textValue().length() <= MAX_TEXT
                && value.textValue().codePoints().allMatch(RequestMembers::isStorable)) {
            return value.textValue();
        }
        complaints.add(name + " must be a text of at most " + MAX_TEXT + " characters without control characters");
        return null;
    }

    /** PostgreSQL stores no NUL and no half of a surrogate pair; people need no other control character. */
    private static boolean isStorable(int codePoint) {
        return !Character.isISOControl(codePoint) && Character.getType(codePoint) != Character.SURROGATE;
    }

    /** A text that must be there; empty when it is not. */
    String requiredText(String name) {
        if (json.path(name).isMissingNode() || json.path(name).isNull()) {
            complaints.add(name + " is required");
            return "";
        }
        String text = text(name);
        return text == null ? "" : text;
    }

    /** A whole number that must be there and be at least {@code least}; 0 when it is not. */
    long requiredNumber(String name, long least) {
        JsonNode value = json.path(name);
        if (value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= least) {
            return value.longValue();
        }
        complaints
                .add(name + (value.isMissingNode() ? " is required" : " must be a whole number from " + least + " on"));
        return 0;
    }

    /** A list of texts that must be there. */
    List<String> requiredTexts(String name) {
        JsonNode value = json.path(name);
        List<String> texts = new ArrayList<>();
        value.forEach(one -> texts.add(one.asText()));
        if (!value.isArray() || !value.valueStream().allMatch(JsonNode::isTextual)) {
            complaints.add(name + (value.isMissingNode() ? " is required" : " must be a list of texts"));
        }
        return texts;
    }

    /** An instant that the database can store as well, or null when there is none. */
    @Nullable
    Instant instant(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            Instant instant = Instant.parse(text);
            if (!instant.isBefore(Instant.EPOCH) && !instant.isAfter(AdminJobJson.WITHOUT_END)) {
                return instant;
            }
        } catch (DateTimeParseException e) {
            // Said below.
        }
        complaints.add(name + " must be an instant from 1970 to 9999 such as 2026-01-31T12:00:00Z, not '" + text + "'");
        return null;
    }

    /**
     * Ends the reading.
     *
     * @throws Fault {@link FaultKind#INVALID_REQUEST} with every complaint
     */
    void done() {
        if (!complaints.isEmpty()) {
            throw new Fault(FaultKind.INVALID_REQUEST, String.join("; ", complaints));
        }
    }
}
