package io.bellwether.policy;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * {@link SetDefinition} from and to the JSON of the admin API. Reading refuses unknown members and wrong values, all at
 * once; whether the schedule can ever fire and whether the source is allowed is checked by those who know.
 */
public final class SetDefinitionJson {
    /** What stands in place of a header value wherever a definition is shown. */
    public static final String MASK = "(secret)";

    private static final Duration MAX_RUNTIME = Duration.ofDays(1);
    private static final Duration MAX_WINDOW = Duration.ofDays(366);

    /** What is younger is in time, whatever the window. */
    private static final Duration MIN_WINDOW = Duration.ofSeconds(30);
    private static final int MAX_KEPT_REVISIONS = 1000;
    private static final int MAX_HEADERS = 32;
    private static final int MAX_SHOWN = 80;

    /** Those the HTTP client refuses to set and those by which the feed is asked for. */
    private static final Set<String> OWN_HEADERS = Set.of("connection", "content-length", "expect", "host", "upgrade",
            "transfer-encoding", "if-none-match", "if-modified-since", "accept-encoding", "range");

    private SetDefinitionJson() {}

    /**
     * Reads a definition.
     *
     * @param json what was sent
     * @param complaints gets a sentence for each thing that is wrong
     * @return the definition, or null when there is a complaint
     */
    public static @Nullable SetDefinition read(JsonNode json, List<String> complaints) {
        List<String> wrong = new ArrayList<>();
        if (!json.isObject()) {
            complaints.add("a set definition must be a JSON object");
            return null;
        }
        known(json, "",
                Set.of("source", "schedule", "zone", "misfire", "misfireWindow", "maxRuntime", "enabled", "guard",
                        "keepRevisions"),
                wrong);
        SetDefinition.Source source = source(json.path("source"), wrong);
        String schedule = text(json, "", "schedule", null, wrong);
        String zone = text(json, "", "zone", "UTC", wrong);
        try {
            ZoneId.of(zone);
        } catch (DateTimeException e) {
            wrong.add("zone '" + zone + "' is not a known time zone");
        }
        SetDefinition.Misfire misfire = choice(json, "", "misfire", SetDefinition.Misfire.COALESCE, wrong);
        Duration window = duration(json, "misfireWindow", SetDefinition.MISFIRE_WINDOW, MIN_WINDOW, MAX_WINDOW,
                wrong);
        Duration maxRuntime = duration(json, "maxRuntime", Duration.ofMinutes(10), Duration.ofSeconds(1), MAX_RUNTIME,
                wrong);
        boolean enabled = bool(json, "", "enabled", true, wrong);
        SetDefinition.Guard guard = guard(json.path("guard"), wrong);
        int keep = 10;
        JsonNode kept = json.path("keepRevisions");
        if (kept.isInt() && kept.intValue() >= 1 && kept.intValue() <= MAX_KEPT_REVISIONS) {
            keep = kept.intValue();
        } else if (!kept.isMissingNode()) {
            wrong.add("keepRevisions must be a whole number from 1 to " + MAX_KEPT_REVISIONS + ", not " + shown(kept));
        }
        complaints.addAll(wrong);
        return wrong.isEmpty()
                ? new SetDefinition(source, schedule, zone, misfire, window, maxRuntime, enabled, guard, keep)
                : null;
    }

    /**
     * Writes a definition.
     *
     * @param showSecrets whether header values are written (to the database) or masked (for people)
     */
    public static ObjectNode write(SetDefinition set, boolean showSecrets) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ObjectNode source = json.putObject("source").put("url", set.source().url());
        if (!set.source().headers().isEmpty()) {
            ObjectNode headers = source.putObject("headers");
            set.source().headers().entrySet().stream().sorted(Map.Entry.comparingByKey())
                    .forEach(h -> headers.put(h.getKey(), showSecrets ? h.getValue() : MASK));
        }
        json.put("schedule", set.schedule()).put("zone", set.zone()).put("misfire", text(set.misfire()))
                .put("misfireWindow", set.misfireWindow().toString()).put("maxRuntime", set.maxRuntime().toString())
                .put("enabled", set.enabled());
        json.putObject("guard").put("maxDeleteShare", set.guard().maxDeleteShare())
                .put("allowEmpty", set.guard().allowEmpty()).put("duplicateKeys", text(set.guard().duplicateKeys()));
        return json.put("keepRevisions", set.keepRevisions());
    }

    private static SetDefinition.Source source(JsonNode json, List<String> wrong) {
        if (!json.isObject()) {
            wrong.add("source must be an object with a url");
            return new SetDefinition.Source("", Map.of());
        }
        known(json, "source.", Set.of("url", "headers"), wrong);
        String url = text(json, "source.", "url", null, wrong);
        if (!url.isEmpty()) {
            checkUrl(url, wrong);
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        JsonNode given = json.path("headers");
        if (given.isObject() && given.size() <= MAX_HEADERS) {
            given.properties().forEach(h -> header(h.getKey(), h.getValue(), headers, wrong));
        } else if (!given.isMissingNode()) {
            wrong.add("source.headers must be an object of at most " + MAX_HEADERS + " texts");
        }
        return new SetDefinition.Source(url, headers);
    }

    private static void checkUrl(String url, List<String> wrong) {
        try {
            if (!url.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
                wrong.add("source.url must be printable ASCII; write other characters percent-encoded");
                return;
            }
            URI uri = new URI(url);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if (!Set.of("http", "https", "file").contains(scheme)) {
                wrong.add("source.url must be an http, https or file URL");
            } else if (uri.getRawUserInfo() != null) {
                wrong.add("source.url must not hold a user or password; use source.headers");
            } else if (scheme.equals("file") ? uri.getPath() == null || uri.getHost() != null : uri.getHost() == null) {
                wrong.add("source.url needs " + (scheme.equals("file") ? "an absolute path and no host" : "a host"));
            }
        } catch (URISyntaxException e) {
            wrong.add("source.url is not a URL: " + e.getReason() + " at index " + e.getIndex());
        }
    }

    /** The value is secret: no complaint quotes it. */
    private static void header(String name, JsonNode value, Map<String, String> headers, List<String> wrong) {
        if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}") || !value.isTextual()
                || !value.textValue().chars().allMatch(c -> c >= 0x20 && c < 0x7f || c == '\t')) {
            wrong.add("source.headers." + name + " is not a header name with a text of printable ASCII as its value");
        } else if (OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
            wrong.add("source.headers." + name + " is set by the one who fetches the feed and cannot be given");
        } else if (headers.put(name, value.textValue()) != null) {
            wrong.add("source.headers." + name + " is given twice (case does not matter)");
        }
    }

    private static SetDefinition.Guard guard(JsonNode json, List<String> wrong) {
        SetDefinition.Guard otherwise = SetDefinition.Guard.DEFAULT;
        if (json.isMissingNode()) {
            return otherwise;
        }
        if (!json.isObject()) {
            wrong.add("guard must be an object");
            return otherwise;
        }
        known(json, "guard.", Set.of("maxDeleteShare", "allowEmpty", "duplicateKeys"), wrong);
        double share = otherwise.maxDeleteShare();
        JsonNode given = json.path("maxDeleteShare");
        if (given.isNumber() && given.doubleValue() >= 0 && given.doubleValue() <= 1) {
            share = given.doubleValue();
        } else if (!given.isMissingNode()) {
            wrong.add("guard.maxDeleteShare must be a number from 0 to 1, not " + shown(given));
        }
        return new SetDefinition.Guard(share, bool(json, "guard.", "allowEmpty", otherwise.allowEmpty(), wrong),
                choice(json, "guard.", "duplicateKeys", otherwise.duplicateKeys(), wrong));
    }

    private static void known(JsonNode json, String prefix, Set<String> names, List<String> wrong) {
        json.properties().stream().map(Map.Entry::getKey).filter(n -> !names.contains(n))
                .forEach(n -> wrong.add(prefix + n + " is unknown; known are " + names.stream().sorted().toList()));
    }

    private static String text(JsonNode json, String prefix, String name, @Nullable String otherwise,
            List<String> wrong) {
        JsonNode value = json.path(name);
        if (value.isTextual() && !value.textValue().isBlank()) {
            return value.textValue().strip();
        }
        if (otherwise == null || !value.isMissingNode()) {
            wrong.add(
                    prefix + name + (value.isMissingNode() ? " is required" : " must be a text, not " + shown(value)));
        }
        return otherwise == null ? "" : otherwise;
    }

    private static Duration duration(JsonNode json, String name, Duration otherwise, Duration least, Duration most,
            List<String> wrong) {
        String text = text(json, "", name, otherwise.toString(), wrong);
        try {
            Duration value = Duration.parse(text);
            if (value.compareTo(least) >= 0 && value.compareTo(most) <= 0) {
                return value;
            }
            wrong.add(name + " must be from " + least + " to " + most + ", not " + text);
        } catch (DateTimeParseException e) {
            wrong.add(name + " must be an ISO 8601 duration such as PT10M, not '" + text + "'");
        }
        return otherwise;
    }

    private static boolean bool(JsonNode json, String prefix, String name, boolean otherwise, List<String> wrong) {
        JsonNode value = json.path(name);
        if (!value.isBoolean() && !value.isMissingNode()) {
            wrong.add(prefix + name + " must be true or false, not " + shown(value));
        }
        return value.isBoolean() ? value.booleanValue() : otherwise;
    }

    private static <E extends Enum<E>> E choice(JsonNode json, String prefix, String name, E otherwise,
            List<String> wrong) {
        JsonNode value = json.path(name);
        if (value.isMissingNode()) {
            return otherwise;
        }
        E[] all = otherwise.getDeclaringClass().getEnumConstants();
        for (E one : all) {
            if (value.isTextual() && value.textValue().equals(text(one))) {
                return one;
            }
        }
        wrong.add(prefix + name + " must be one of " + List.of(all).stream().map(SetDefinitionJson::text).toList()
                + ", not "
                + shown(value));
        return otherwise;
    }

    private static String shown(JsonNode value) {
        String text = value.toString();
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    /** How a choice is written: in lower case with hyphens. */
    public static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
