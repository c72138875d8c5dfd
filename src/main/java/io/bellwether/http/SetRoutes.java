package io.bellwether.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.bellwether.catalog.Heads;
import io.bellwether.catalog.SetState;
import io.bellwether.policy.Sha256;

/** {@code /v1/sets}: the heads of all sets that the caller may read, also by long poll. */
final class SetRoutes implements RouteModule {
    private final Reading reading;
    private final Polls polls;

    SetRoutes(Reading reading, Polls polls) {
        this.reading = reading;
        this.polls = polls;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets", Access.TOKEN, this::list);
    }

    private void list(Exchange exchange) throws Exception {
        Heads heads = reading.heads(exchange);
        String tag = listTag(heads, exchange.caller());
        boolean same = Validators.matches(exchange.header("If-None-Match"), tag);
        polls.orHold(exchange, same, now -> !listTag(now, exchange.caller()).equals(tag), this::answerList);
    }

    private void answerList(Exchange exchange) throws IOException, InterruptedException {
        Heads heads = reading.heads(exchange);
        exchange.set("Bellwether-Epoch", heads.epoch().toString());
        if (Validators.answered(exchange, listTag(heads, exchange.caller()), Validators.REVALIDATE)) {
            return;
        }
        ObjectNode json = Json.object().put("epoch", heads.epoch().toString());
        ArrayNode sets = json.putArray("sets");
        visible(heads, exchange.caller()).forEach(set -> sets.add(SetJson.head(heads, set)));
        exchange.json(200, json);
    }

    private static List<SetState> visible(Heads heads, Caller caller) {
        return heads.sets().stream().filter(set -> caller.mayRead(set.name())).toList();
    }

    private static String listTag(Heads heads, Caller caller) {
        StringBuilder text = new StringBuilder();
        visible(heads, caller).forEach(s -> text.append(s.name()).append('=').append(s.revision()).append('\n'));
        return "\"" + heads.shortEpoch() + ".s"
                + Sha256.of(text.toString().getBytes(StandardCharsets.UTF_8)).hex().substring(0, 16) + "\"";
    }
}
