package io.bellwether.admin;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import io.bellwether.policy.SetDefinition;
import io.bellwether.policy.SetDefinitionJson;

/**
 * Header values of a source go in and never come out: they are shown as a mask, and a definition that sends the mask
 * back keeps the value that is stored. It keeps it only for the same scheme, host and port, for otherwise whoever may
 * change a definition could have the value sent to a place of his own. Stateless.
 */
final class SecretHeaders {
    private SecretHeaders() {}

    /** A copy of a stored definition without its secrets; also of one that this version would refuse. */
    static ObjectNode masked(ObjectNode stored) {
        ObjectNode copy = stored.deepCopy();
        if (copy.path("source").path("headers") instanceof ObjectNode headers) {
            headers.properties().forEach(header -> headers.put(header.getKey(), SetDefinitionJson.MASK));
        }
        return copy;
    }

    /**
     * The definition with the stored values in place of masks.
     *
     * @param sent the new definition
     * @param stored the one it replaces, or null when there is none
     * @param complaints gets a sentence for each mask that stands for nothing
     */
    static SetDefinition filled(SetDefinition sent, @Nullable JsonNode stored, List<String> complaints) {
        if (!sent.source().headers().containsValue(SetDefinitionJson.MASK)) {
            return sent;
        }
        Map<String, String> known = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        JsonNode source = stored == null ? null : stored.path("source");
        if (source != null) {
            source.path("headers").properties().forEach(h -> known.put(h.getKey(), h.getValue().asText()));
        }
        boolean sameOrigin = source == null || origin(sent.source().url()).equals(origin(source.path("url").asText()));
        Map<String, String> headers = new TreeMap<>();
        sent.source().headers().forEach((name, value) -> {
            String kept = value.equals(SetDefinitionJson.MASK) ? known.get(name) : value;
            if (kept == null) {
                complaints.add("source.headers." + name + " is " + SetDefinitionJson.MASK + ", but no value is stored");
            } else if (value.equals(SetDefinitionJson.MASK) && !sameOrigin) {
                complaints.add("source.headers." + name + " must be given again, as source.url names another host");
            } else {
                headers.put(name, kept);
            }
        });
        return sent.withSource(new SetDefinition.Source(sent.source().url(), headers));
    }

    /** Scheme, host and port; of what is no URL, the text itself. */
    private static List<String> origin(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            return List.of(url);
        }
        String scheme = Objects.requireNonNullElse(uri.getScheme(), "").toLowerCase(Locale.ROOT);
        int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
        return List.of(scheme, Objects.requireNonNullElse(uri.getHost(), "").toLowerCase(Locale.ROOT),
                Integer.toString(port));
    }
}
