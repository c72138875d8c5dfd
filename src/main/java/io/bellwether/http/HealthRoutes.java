package io.bellwether.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.telemetry.Meters;

/**
 * {@code /livez}, {@code /readyz} and {@code /metrics}, for who runs the process; the proxy does not forward them.
 *
 * <p>Ready means: requests should be sent here. A database or Redis that is away does not make a process unready, since
 * it goes on serving what it holds and every other process would be unready too.
 */
public final class HealthRoutes implements RouteModule {
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Map<String, BooleanSupplier> needed;
    private final Map<String, Supplier<String>> told;
    private final Meters meters;

    /**
     * Routes that tell about these parts.
     *
     * @param needed parts without which the process is not ready
     * @param told parts that are told about only, as words
     * @param meters what {@code /metrics} shows
     */
    public HealthRoutes(Map<String, BooleanSupplier> needed, Map<String, Supplier<String>> told, Meters meters) {
        this.needed = new LinkedHashMap<>(needed);
        this.told = new LinkedHashMap<>(told);
        this.meters = meters;
    }

    @Override
    public void register(Routes routes) {
        Draining draining = routes.draining();
        routes.get("/livez", Access.OPEN, exchange -> {
            exchange.set("Cache-Control", "no-store");
            exchange.json(200, Json.object().put("alive", true));
        });
        routes.get("/readyz", Access.OPEN, exchange -> {
            ObjectNode json = Json.object();
            ObjectNode parts = Json.object();
            boolean ready = !draining.isDraining();
            for (Map.Entry<String, BooleanSupplier> part : needed.entrySet()) {
                boolean there = part.getValue().getAsBoolean();
                parts.put(part.getKey(), there ? "ready" : "not ready");
                ready &= there;
            }
            told.forEach((name, word) -> parts.put(name, word.get()));
            json.put("ready", ready).put("draining", draining.isDraining()).set("parts", parts);
            exchange.set("Cache-Control", "no-store");
            exchange.json(ready ? 200 : 503, json);
        });
        routes.get("/metrics", Access.OPEN, exchange -> exchange.answer(200, METRICS_TYPE,
                meters.scrape().getBytes(StandardCharsets.UTF_8)));
    }
}
