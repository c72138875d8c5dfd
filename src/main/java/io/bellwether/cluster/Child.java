package io.bellwether.cluster;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * One supervised child: started in a session of its own, its output kept, and started again a second after it died by
 * itself. A stopped (SIGSTOP) child is alive and left alone. Thread-safe.
 */
final class Child {
    private static final Duration RESTART_AFTER = Duration.ofSeconds(1);
    private static final Duration RESTART_AFTER_MANY = Duration.ofSeconds(5);
    private static final Duration SHORT_LIFE = Duration.ofSeconds(5);
    private static final int MANY = 10;
    private static final Duration LAST_WORDS = Duration.ofMillis(500);

    /** As serve, PostgreSQL, Redis and nginx say it. */
    private static final List<String> PORT_TAKEN = List.of("cannot listen", "could not bind",
            "could not create any TCP/IP sockets", "Address already in use");

    private final Spec spec;
    private final ScheduledExecutorService timer;
    private final Events events;
    private final BoundedLog log;

    private boolean wanted;
    private @Nullable Process process;
    private @Nullable OsProcess identity;
    private @Nullable Thread output;
    private long startedNanos;
    private int shortLives;

    /**
     * What is run and how it is ended.
     *
     * @param name for the log's name, the pid file and messages
     * @param command made anew for each start
     * @param stopSignal what asks it to stop in order
     * @param grace how long a stop may take before it is killed
     * @param tied whether it gets a standard input that ends when {@code up} is gone
     */
    record Spec(String name, CommandSource command, String stopSignal, Duration grace, boolean tied) {}

    /** Makes the command; called before each start, in the thread that starts. */
    @FunctionalInterface
    interface CommandSource {
        ProcessBuilder make() throws IOException;
    }

    /** What is told to the cluster; called without a lock held, from any thread. */
    interface Events {
        void started(Child child, OsProcess process);

        void ended(Child child, int status);

        void line(Child child, String line);
    }

    Child(Spec spec, BoundedLog log, ScheduledExecutorService timer, Events events) {
        this.spec = spec;
        this.log = log;
        this.timer = timer;
        this.events = events;
    }

    String name() {
        return spec.name();
    }

    String stopSignal() {
        return spec.stopSignal();
    }

    /** Starts it, unless it runs; from now on it is started again when it dies. */
    void start() throws IOException {
        OsProcess started;
        synchronized (this) {
            wanted = true;
            started = spawnUnlessAlive();
        }
        if (started != null) {
            events.started(this, started);
        }
    }

    /** Under the lock. */
    private @Nullable OsProcess spawnUnlessAlive() throws IOException {
        if (process != null && process.isAlive()) {
            return null;
        }
        ProcessBuilder builder = spec.command().make().redirectErrorStream(true);
        builder.command(Executables.inOwnSession(builder.command()));
        if (!spec.tied()) {
            builder.redirectInput(new File("/dev/null"));
        }
        log.begin();
        Process p = builder.start();
        startedNanos = System.nanoTime();
        process = p;
        OsProcess started = OsProcess.of(p.pid()).orElse(new OsProcess(p.pid(), -1));
        identity = started;
        output = Thread.ofPlatform().daemon().name("output-of-" + spec.name()).start(() -> pump(p));
        var unused = p.onExit().thenAccept(this::ended);
        return started;
    }

    private void pump(Process p) {
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                log.append(line);
                events.line(this, line);
            }
        } catch (IOException e) {
            log.append("bellwether up: output lost: " + e.getMessage());
        }
    }

    private void ended(Process p) {
        boolean again;
        Duration after;
        synchronized (this) {
            again = wanted && p == process;
            boolean quick = System.nanoTime() - startedNanos < SHORT_LIFE.toNanos();
            shortLives = quick ? shortLives + 1 : 0;
            after = shortLives > MANY ? RESTART_AFTER_MANY : RESTART_AFTER;
        }
        if (again) {
            new OsProcess(p.pid(), -1).signalGroup("KILL");
            events.ended(this, p.exitValue());
            try {
                var unused = timer.schedule(this::startAgain, after.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                log.append("bellwether up: stopping, not started again");
            }
        }
    }

    private void startAgain() {
        try {
            OsProcess started;
            synchronized (this) {
                started = wanted ? spawnUnlessAlive() : null;
            }
            if (started != null) {
                events.started(this, started);
            }
        } catch (IOException e) {
            log.append("bellwether up: cannot start: " + e.getMessage());
            var unused = timer.schedule(this::startAgain, RESTART_AFTER_MANY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Asks it to stop and says no more; it will not be started again. */
    void askToStop() {
        synchronized (this) {
            wanted = false;
        }
        signal(spec.stopSignal());
        signal("CONT");
    }

    /** Asks it to stop, waits for the grace, kills what is left. Once this returns it is gone. */
    void stop() throws InterruptedException {
        askToStop();
        awaitStop(spec.grace());
    }

    /** Waits after {@link #askToStop}; kills it when {@code limit} is over. */
    void awaitStop(Duration limit) throws InterruptedException {
        Process p;
        synchronized (this) {
            p = process;
        }
        if (p == null) {
            return;
        }
        if (!p.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
            p.waitFor(2, TimeUnit.SECONDS);
        }
        log.close();
    }

    /** SIGKILL to it and its group. It will be started again unless it was asked to stop. */
    void kill() {
        OsProcess now = current();
        if (now != null && now.isAlive()) {
            now.signalGroup("KILL");
            now.signal("KILL");
        }
    }

    void signal(String signal) {
        OsProcess now = current();
        if (now != null) {
            now.signal(signal);
        }
    }

    private synchronized @Nullable OsProcess current() {
        return identity;
    }

    /** Its number, or that of the one that died last; 0 before the first start. */
    synchronized long pid() {
        return identity == null ? 0 : identity.pid();
    }

    synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Whether it is dead and will be started again. */
    synchronized boolean isComingBack() {
        return wanted && (process == null || !process.isAlive());
    }

    /** Its exit status, while it is dead. */
    synchronized OptionalInt status() {
        return process == null || process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** What it said last; once it is dead, to its last word. */
    List<String> lastLines() {
        Thread pumping;
        synchronized (this) {
            pumping = process != null && process.isAlive() ? null : output;
        }
        try {
            if (pumping != null) {
                pumping.join(LAST_WORDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return log.lastLines();
    }

    /** Its last line, for a message. */
    String lastLine() {
        List<String> lines = lastLines();
        return lines.isEmpty() ? "it said nothing" : lines.getLast();
    }

    /** Whether it is dead and said that it could not have its port. */
    boolean missedItsPort() {
        return status().isPresent() && lastLines().stream().anyMatch(l -> PORT_TAKEN.stream().anyMatch(l::contains));
    }

    BoundedLog log() {
        return log;
    }
}
