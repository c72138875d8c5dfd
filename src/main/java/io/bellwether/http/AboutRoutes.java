package io.bellwether.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.policy.Sha256;

/** {@code /v1/openapi.json}, and {@code /problems/{type}}, where the types of problems lead. For anyone. */
public final class AboutRoutes implements RouteModule {
    private static final String HTML_TYPE = "text/html; charset=utf-8";
    private static final String FOR_A_WHILE = "public, max-age=3600";

    private final Supplier<JsonNode> problems = new Once<>(() -> resource("problems.yaml"));
    private final Supplier<Description> description = new Once<>(() -> Description.of(resource("openapi.yaml")));

    private record Description(byte[] json, String etag) {
        static Description of(JsonNode api) {
            byte[] json = Json.bytes(api);
            return new Description(json, "\"" + Sha256.of(json).hex().substring(0, 16) + "\"");
        }
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/openapi.json", Access.OPEN, this::openApi);
        routes.get("/problems/{type}", Access.OPEN, this::problem);
    }

    private void openApi(Exchange exchange) throws IOException {
        Description now = description.get();
        if (!Validators.answered(exchange, now.etag(), FOR_A_WHILE)) {
            exchange.answer(200, Json.TYPE, now.json());
        }
    }

    private void problem(Exchange exchange) throws IOException {
        String type = exchange.path("type");
        for (FaultKind kind : FaultKind.values()) {
            if (kind.problemType().equals(type)) {
                JsonNode words = problems.get().path(type);
                exchange.set("Cache-Control", FOR_A_WHILE);
                exchange.answer(200, HTML_TYPE, page(kind, words.path("means").asText(), words.path("do").asText())
                        .getBytes(StandardCharsets.UTF_8));
                return;
            }
        }
        throw new Fault(FaultKind.NOT_FOUND, "there is no problem of this type");
    }

    private static String page(FaultKind kind, String means, String what) {
        String title = Problem.title(kind.problemType());
        return """
                <!doctype html>
                <html lang="en">
                <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title>
                <style>body{max-width:42rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;
                color-scheme:light dark}code{font-size:.95em}</style></head>
                <body><main><h1>%1$s</h1><p><code>%2$s</code>, status %3$d</p>
                <h2>What it means</h2><p>%4$s</p><h2>What to do</h2><p>%5$s</p></main></body>
                </html>
                """.formatted(escaped(title), escaped(kind.problemType()), kind.status(), escaped(means),
                escaped(what));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static JsonNode resource(String name) {
        try (InputStream in = AboutRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing in the jar");
            }
            return YAMLMapper.builder().build().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Made when it is first asked for: no start pays for what is rarely read. */
    private static final class Once<T> implements Supplier<T> {
        private final Supplier<T> make;
        private volatile @Nullable T made;

        Once(Supplier<T> make) {
            this.make = make;
        }

        @Override
        public T get() {
            T ready = made;
            if (ready == null) {
                ready = make.get();
                made = ready;
            }
            return ready;
        }
    }
}
