package io.bellwether.cli;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the admin API is, who asks, and how the answer is shown. */
final class ApiOptions {
    private static final String DEFAULT_URL = "http://127.0.0.1:8080";

    @Option(names = "--url", paramLabel = "URL", description = "where the cluster answers (BELLWETHER_URL, else "
            + DEFAULT_URL + ")")
    private @Nullable String url;

    @Option(names = "--token", paramLabel = "TOKEN", description = "the admin token (BELLWETHER_TOKEN or BELLWETHER_TOKEN_FILE)")
    private @Nullable String token;

    @Option(names = "--json", description = "print the API's JSON instead of a table")
    private boolean json;

    /** Whether JSON is wanted. */
    boolean json() {
        return json;
    }

    /** A client; the caller closes it. */
    AdminApi open(Map<String, String> environment) throws CommandFailure {
        String base = url != null ? url : environment.getOrDefault("BELLWETHER_URL", "");
        return new AdminApi(check(base.isEmpty() ? DEFAULT_URL : base), token(environment));
    }

    /** Prints JSON, indented. */
    static void print(Terminal terminal, JsonNode json) {
        terminal.out().println(json.toPrettyString());
    }

    private static URI check(String text) throws CommandFailure {
        try {
            URI uri = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            String scheme = Objects.requireNonNullElse(uri.getScheme(), "");
            if ((scheme.equals("http") || scheme.equals("https")) && uri.getHost() != null && uri.getQuery() == null
                    && uri.getFragment() == null && uri.getUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Said below.
        }
        throw new CommandFailure(CommandFailure.USAGE,
                "the URL of the API must be of the form http://host:port, not '" + Table.plain(text) + "'");
    }

    private String token(Map<String, String> environment) throws CommandFailure {
        String given = token != null ? token : environment.getOrDefault("BELLWETHER_TOKEN", "");
        String file = environment.getOrDefault("BELLWETHER_TOKEN_FILE", "");
        if (given.isEmpty() && !file.isEmpty()) {
            try {
                given = Files.readString(Path.of(file)).strip();
            } catch (IOException | RuntimeException e) {
                throw new CommandFailure(CommandFailure.USAGE, "BELLWETHER_TOKEN_FILE: cannot read " + file, e);
            }
        }
        if (given.isEmpty()) {
            throw new CommandFailure(CommandFailure.USAGE,
                    "no admin token: give --token, or set BELLWETHER_TOKEN or BELLWETHER_TOKEN_FILE");
        }
        if (!given.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new CommandFailure(CommandFailure.USAGE, "the admin token must be printable ASCII without spaces");
        }
        return given;
    }
}
