package io.bellwether.telemetry;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * The meters of one process. Names and tags are the methods here and nothing else. Thread safe.
 *
 * <p>Tags are of bounded number: jobs and sets (declared by operators), routes (of the code), states (of enums); never
 * a token, an address or a key.
 */
public final class Meters implements AutoCloseable {
    /** What each meter counts, for whoever looks at it without this code. */
    private static final Map<String, String> HELP = Map.ofEntries(
            Map.entry("bellwether_job_ticks",
                    "due ticks by what became of them here: won, lost, overlapped, missed, paused"),
            Map.entry("bellwether_job_runs", "runs that ended here, by how they were started and how they ended"),
            Map.entry("bellwether_job_run", "how long runs took"),
            Map.entry("bellwether_job_start_lag", "how long after its instant a tick began to run"),
            Map.entry("bellwether_job_last_success_timestamp_seconds",
                    "when a run here last published or found nothing new"),
            Map.entry("bellwether_job_recoveries",
                    "runs of others taken over or closed here: of silent processes, and of stopping ones"),
            Map.entry("bellwether_job_fenced", "runs here that found they were no longer the one that may publish"),
            Map.entry("bellwether_job_ledger_failures",
                    "claims, heartbeats and other rows that PostgreSQL did not take"),
            Map.entry("bellwether_gate", "what came of asking a gate"),
            Map.entry("bellwether_set_revision", "the head that this process serves"),
            Map.entry("bellwether_set_policies", "policies in the head"),
            Map.entry("bellwether_set_bytes", "compressed bytes of the head"),
            Map.entry("bellwether_refresh_rows", "rows of refreshes: upserts, deletes, unchanged ones"),
            Map.entry("bellwether_refresh", "how long the phases of refreshes took"),
            Map.entry("bellwether_refresh_progress_rows", "rows that the phase under way has done; 0 when none is"),
            Map.entry("bellwether_refresh_progress_bytes", "bytes that the phase under way has done; 0 when none is"),
            Map.entry("bellwether_refresh_progress_ratio", "share of the phase that is done; 0 where nobody can tell"),
            Map.entry("bellwether_refresh_progress_remaining_seconds",
                    "estimated rest of the phase; 0 where nobody can tell"),
            Map.entry("bellwether_segments_built", "segments compressed here"),
            Map.entry("bellwether_http_server_requests", "requests answered, by route and status"));

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<Value, AtomicReference<Double>> values = new ConcurrentHashMap<>();
    /** What counters read: the registry itself lets go of it. */
    private final Set<DoubleSupplier> counted = ConcurrentHashMap.newKeySet();
    /** The timers of answers: finding one by its tags costs more than a cheap answer does. */
    private final Map<Answer, Timer> answers = new ConcurrentHashMap<>();
    private final JvmGcMetrics gc = new JvmGcMetrics();

    private record Answer(String route, int status) {}

    private record Value(String name, Tags tags) {}

    /** A fresh registry with the meters of the JVM and the operating system process. */
    public Meters() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        gc.bindTo(registry);
    }

    /** The names of all meters that are not read when scraped, without what Prometheus adds to them. */
    static Set<String> names() {
        return HELP.keySet();
    }

    /** The registry, for libraries that bring their own meters (the connection pool). */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /** A tick was accounted for. {@code outcome}: won, lost, overlapped, missed, paused. */
    public void tick(String job, String outcome) {
        tick(job, outcome, 1);
    }

    /** Several ticks were accounted for at once. */
    public void tick(String job, String outcome, int ticks) {
        count("bellwether_job_ticks", Tags.of("job", job, "outcome", outcome), ticks);
        // There from the first tick on: an alert on what never happened needs a 0.
        count("bellwether_job_recoveries", Tags.of("job", job), 0);
        count("bellwether_job_fenced", Tags.of("job", job), 0);
    }

    /** A run ended. */
    public void run(String job, String kind, String result, Duration took) {
        count("bellwether_job_runs", Tags.of("job", job, "kind", kind, "result", result), 1);
        timer("bellwether_job_run", Tags.of("job", job)).record(took);
    }

    /** How long after its instant a tick began to run. */
    public void startLag(String job, Duration lag) {
        timer("bellwether_job_start_lag", Tags.of("job", job)).record(lag.isNegative() ? Duration.ZERO : lag);
    }

    /** The epoch second at which a job last succeeded here. */
    public void lastSuccess(String job, double epochSeconds) {
        value("bellwether_job_last_success_timestamp_seconds", Tags.of("job", job), epochSeconds);
    }

    /** A run of a process that fell silent, or that gave it back when it stopped, was taken over or closed. */
    public void recovery(String job) {
        count("bellwether_job_recoveries", Tags.of("job", job), 1);
    }

    /** A run found that it was no longer the one that may publish. */
    public void fenced(String job) {
        count("bellwether_job_fenced", Tags.of("job", job), 1);
    }

    /** A claim, a heartbeat or another row of the ledger was not taken by PostgreSQL; it is tried again. */
    public void ledgerFailure() {
        count("bellwether_job_ledger_failures", Tags.empty(), 1);
    }

    /**
     * What came of asking a gate. {@code gate}: redis, postgres; {@code result}: of redis won, held, error, timeout, open
     * (not asked, because it failed lately), ghost (held, yet nobody ran); of postgres asked, instead of redis.
     */
    public void gate(String gate, String result) {
        count("bellwether_gate", Tags.of("gate", gate, "result", result), 1);
    }

    /** Registers a gauge without tags that is read when scraped. */
    public void gauge(String name, String description, DoubleSupplier read) {
        Gauge.builder("bellwether_" + name, read, DoubleSupplier::getAsDouble).description(description)
                .strongReference(true)
                .register(registry);
    }

    /** Registers a counter without tags that is read when scraped; what it reads never falls. */
    public void counter(String name, String description, DoubleSupplier read) {
        counted.add(read);
        FunctionCounter.builder("bellwether_" + name, read, DoubleSupplier::getAsDouble).description(description)
                .register(registry);
    }

    /** What the catalog holds of a set. */
    public void set(String set, long revision, long policies, long bytes) {
        value("bellwether_set_revision", Tags.of("set", set), revision);
        value("bellwether_set_policies", Tags.of("set", set), policies);
        value("bellwether_set_bytes", Tags.of("set", set), bytes);
    }

    /** Forgets whatever was said of a set and its job: it is gone, and its last values would be told for ever. */
    public void forget(String set) {
        Predicate<Tag> its = tag -> tag.getValue().equals(set)
                && (tag.getKey().equals("set") || tag.getKey().equals("job"));
        values.keySet().removeIf(value -> value.tags().stream().anyMatch(its));
        registry.getMeters().stream().filter(meter -> meter.getId().getTags().stream().anyMatch(its))
                .forEach(registry::remove);
    }

    /** Rows of a refresh. {@code op}: upsert, delete, unchanged. */
    public void refreshRows(String set, String op, long rows) {
        count("bellwether_refresh_rows", Tags.of("set", set, "op", op), rows);
    }

    /** How long a phase of a refresh took. */
    public void refreshPhase(String set, String phase, Duration took) {
        timer("bellwether_refresh", Tags.of("set", set, "phase", phase)).record(took);
    }

    /**
     * Where the refresh of a set is in its phase; all 0 when none is on.
     *
     * @param share of the phase that is done, 0 to 1; 0 where nobody can tell
     * @param secondsLeft of the phase, 0 where nobody can tell
     */
    public void refreshProgress(String set, long rows, long bytes, double share, double secondsLeft) {
        value("bellwether_refresh_progress_rows", Tags.of("set", set), rows);
        value("bellwether_refresh_progress_bytes", Tags.of("set", set), bytes);
        value("bellwether_refresh_progress_ratio", Tags.of("set", set), share);
        value("bellwether_refresh_progress_remaining_seconds", Tags.of("set", set), secondsLeft);
    }

    /** Segments built. */
    public void segmentsBuilt(int segments) {
        count("bellwether_segments_built", Tags.empty(), segments);
    }

    /** A request was answered. */
    public void request(String route, int status, Duration took) {
        Answer answer = new Answer(route, status);
        Timer timer = answers.get(answer);
        if (timer == null) {
            timer = timer("bellwether_http_server_requests",
                    Tags.of("route", route, "status", Integer.toString(status)));
            answers.put(answer, timer);
        }
        timer.record(took);
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }

    private void count(String name, Tags tags, double amount) {
        Counter.builder(name).description(HELP.get(name)).tags(tags).register(registry).increment(amount);
    }

    private Timer timer(String name, Tags tags) {
        return Timer.builder(name).description(HELP.get(name)).tags(tags).register(registry);
    }

    private void value(String name, Tags tags, double value) {
        values.computeIfAbsent(new Value(name, tags), ignored -> {
            AtomicReference<Double> cell = new AtomicReference<>(value);
            Gauge.builder(name, cell, AtomicReference::get).description(HELP.get(name)).tags(tags).strongReference(true)
                    .register(registry);
            return cell;
        }).set(value);
    }
}
