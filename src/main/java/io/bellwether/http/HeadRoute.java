package io.bellwether.http;

import java.util.ArrayList;
import java.util.List;

import org.eclipse.jetty.http.HttpField;

import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.SetState;

/**
 * {@code /v1/sets/{set}}: the head of a set, which a fleet asks for all the time. Thread safe.
 *
 * <p>So it is answered in two ways. Quickly, ahead of the router and without a thread that waits for the look, when the
 * process is up to date and there is something to answer at once; and as every other route in all other cases: polls
 * that wait, problems, a process that cannot see the database. Both ask {@link Reading#check} and {@link HeadVerdict} what
 * the answer is, and take it from the same {@link HeadAnswer}.
 */
final class HeadRoute implements RouteModule {
    private final CatalogService catalog;
    private final Reading reading;
    private final Polls polls;
    private final HeadAnswer.Cache answers = new HeadAnswer.Cache();

    HeadRoute(CatalogService catalog, Reading reading, Polls polls) {
        this.catalog = catalog;
        this.reading = reading;
        this.polls = polls;
    }

    @Override
    public void register(Routes routes) {
        routes.get("/v1/sets/{set}", Access.SET, this::answer, this::answerQuickly);
    }

    private void answerQuickly(QuickExchange exchange) {
        catalog.look(view -> exchange.attempt(() -> answerQuickly(exchange, view)), exchange.reader());
    }

    private void answerQuickly(QuickExchange exchange, CatalogService.View view) {
        SetState set = view.heads().byName().get(exchange.parameter());
        if (view.stale() || set == null) {
            exchange.decline();
            return;
        }
        HeadAnswer head = answers.of(Reading.check(view, set, exchange, 0));
        switch (HeadVerdict.of(head, exchange)) {
            case HeadVerdict.Wait _ -> exchange.decline();
            case HeadVerdict.Unchanged _ -> exchange.answer(304, head.fields());
            case HeadVerdict.Whole whole -> {
                List<HttpField> fields = new ArrayList<>(head.fieldsWithBody());
                whole.offered().ifPresent(w -> fields.add(new HttpField(Polls.APPLIED, Polls.applied(w))));
                exchange.answer(200, fields, head.body());
            }
        }
    }

    private void answer(Exchange exchange) throws Exception {
        Reading.Read read = reading.head(exchange, 0);
        boolean same = !(HeadVerdict.of(answers.of(read), exchange) instanceof HeadVerdict.Whole);
        polls.orHold(exchange, same, read.heads(), read.set().name(), this::answerNow);
    }

    private void answerNow(Exchange exchange) throws Exception {
        HeadAnswer head = answers.of(reading.head(exchange, 0));
        head.fields().forEach(field -> exchange.set(field.getName(), field.getValue()));
        if (HeadVerdict.of(head, exchange) instanceof HeadVerdict.Whole) {
            exchange.answer(200, Json.TYPE, head.body());
        } else {
            exchange.empty(304);
        }
    }
}
