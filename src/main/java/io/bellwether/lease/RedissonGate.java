package io.bellwether.lease;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFuture;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisWrongPasswordException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.lifecycle.Periodic;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;

/**
 * The gate by Redisson's lock: one constant key per job, never waited for, renewed by Redisson's watchdog while we are
 * inside. Thread safe.
 *
 * <p>What is peculiar, as read in Redisson 4.7.0 and seen in tests:
 * <ul>
 * <li>The owner of a lock is client id and thread id, and the lock is reentrant for it. So each try has a number of its
 * own instead of a thread's, and no try ever enters by accident through the door of an earlier one.
 * <li>A try that failed or took too long may have succeeded on the server. It is let go again as soon as that shows; if
 * it never shows, it stays a ghost for the rest of the lease, and the look at PostgreSQL two seconds later goes past it.
 * <li>{@code unlockAsync} ends the renewal whether the unlock arrives or not, so a failed unlock is over after a lease.
 * <li>The first command of a lazily made client connects on the calling thread, for longer than any deadline of ours;
 * so the calls are made on threads that nobody waits for.
 * <li>{@code shutdown} leaves held locks behind; the passes are left first.
 * </ul>
 */
public final class RedissonGate implements Gate {
    private static final Logger log = LoggerFactory.getLogger(RedissonGate.class);
    private static final Duration PROBE = Duration.ofSeconds(1);
    private static final Duration LAST_UNLOCKS = Duration.ofSeconds(1);
    private static final Duration FIRST_CONTACT = Duration.ofSeconds(2);

    /** How long after the start a Redis that never answered yet is not called away: classes load, the machine is busy. */
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(10);

    /** No job's: theirs end in the word leader. */
    private static final String PROBE_KEY = "bellwether:{probe}";
    private static final String PROBE_SCRIPT = "redis.call('set', KEYS[1], '', 'px', 5000); return 1";

    private static final int MAX_SHOWN = 200;

    /** How often a lock that may be a ghost is let go, and how many such locks are remembered. */
    private static final int SUSPECT_UNLOCKS = 2;
    private static final int MAX_SUSPECTS = 1_000;

    /** A lock that may have been won without our knowing. */
    private record Suspect(String key, int unlocks) {}

    private final Settings.Redis settings;
    private final Duration lease;
    private final Meters meters;
    private final AtomicLong tries = new AtomicLong();
    private final Breaker breaker = new Breaker(System::nanoTime);
    private final Map<Long, CompletableFuture<Void>> leaving = new ConcurrentHashMap<>();
    private final Map<Long, Suspect> suspects = new ConcurrentHashMap<>();
    private final ExecutorService calls = Executors
            .newThreadPerTaskExecutor(Thread.ofVirtual().name("redis-call-", 0).factory());
    private final Periodic probe = new Periodic("redis-probe", PROBE, this::probe);
    private volatile @Nullable RedissonClient client;
    private final AtomicBoolean told = new AtomicBoolean();
    private final AtomicBoolean toldRefused = new AtomicBoolean();
    private volatile long startedNanos;
    private volatile boolean everUp;
    private volatile boolean up;

    /**
     * A gate that connects when it is started, and goes on trying when Redis is away.
     *
     * @param settings where Redis is
     * @param lease how long a lock outlives a process that fell silent
     * @param meters gets the answers and whether Redis is up
     */
    public RedissonGate(Settings.Redis settings, Duration lease, Meters meters) {
        this.settings = settings;
        this.lease = lease;
        this.meters = meters;
        meters.gauge("redis_up", "whether Redis answered when it was asked last", () -> up ? 1 : 0);
    }

    @Override
    public String name() {
        return "gate";
    }

    /** @throws IOException if the configuration file cannot be read */
    @Override
    public void start() throws IOException {
        Config config = RedissonConfig.of(settings, lease);
        client = Redisson.create(config);
        startedNanos = System.nanoTime();
        firstContact();
        probe.start();
    }

    @Override
    public void stop(Duration grace) {
        probe.stop(Duration.ZERO);
        RedissonClient running = client;
        client = null;
        if (running == null) {
            return;
        }
        try {
            CompletableFuture.allOf(leaving.values().toArray(CompletableFuture<?>[]::new)).get(LAST_UNLOCKS.toMillis(),
                    TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("a lock could not be let go; it is over after its lease", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        calls.shutdownNow();
        running.shutdown(0, LAST_UNLOCKS.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean isUp() {
        return up;
    }

    @Override
    public Answer tryEnter(String job) {
        RedissonClient running = client;
        if (running == null || !breaker.mayAsk()) {
            meters.gate("redis", "open");
            return new Unavailable("open");
        }
        String key = key(job);
        long owner = tries.incrementAndGet();
        CompletableFuture<Boolean> lock = call(() -> running.getLock(key).tryLockAsync(owner));
        try {
            boolean won = lock.get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
            if (won) {
                answered();
            } else {
                // It answers in time; whether a lock could be had there the next probe tells.
                breaker.succeeded();
            }
            meters.gate("redis", won ? "won" : "held");
            return won ? new Won(new Inside(running, key, owner)) : new Held();
        } catch (TimeoutException e) {
            letGo(running, key, owner, lock);
            return unavailable("timeout", e);
        } catch (ExecutionException e) {
            letGo(running, key, owner, lock);
            return unavailable("error", e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            letGo(running, key, owner, lock);
            Thread.currentThread().interrupt();
            return new Unavailable("error");
        }
    }

    /** The one key of a job; the braces keep what belongs to a job in one slot of a Redis cluster. */
    static String key(String job) {
        return "bellwether:{" + job + "}:leader";
    }

    private Unavailable unavailable(String why, Throwable because) {
        meters.gate("redis", why);
        failed(because);
        return new Unavailable(why);
    }

    private void answered() {
        breaker.succeeded();
        if (!up) {
            log.info("redis is up; leaders are chosen by its locks");
        }
        up = true;
        everUp = true;
        told.set(false);
        toldRefused.set(false);
    }

    private void failed(Throwable because) {
        breaker.failed();
        up = false;
        boolean connecting = !everUp && System.nanoTime() - startedNanos < FIRST_PATIENCE.toNanos();
        if (refuses(because) && toldRefused.compareAndSet(false, true)) {
            // Told even after another reason: time does not mend it.
            told.set(true);
            log.warn("redis refuses our password or what we may do; leaders are chosen by the database alone ({})",
                    why(because));
        } else if (!connecting && told.compareAndSet(false, true)) {
            log.warn("redis is away; leaders are chosen by the database alone ({})", why(because));
        }
    }

    /** In one line; the first and the last of a chain of causes, of which that in the middle is Redisson's own. */
    static String why(Throwable because) {
        if (because instanceof TimeoutException) {
            return "no answer in time";
        }
        Throwable root = root(because);
        return root == because ? shown(because) : shown(because) + ", because of " + shown(root);
    }

    /** Whether Redis answers, and says that it does not know us or does not let us. */
    static boolean refuses(Throwable because) {
        Throwable root = root(because);
        return root instanceof RedisAuthRequiredException || root instanceof RedisWrongPasswordException
                || String.valueOf(root.getMessage()).startsWith("NOPERM");
    }

    private static Throwable root(Throwable because) {
        Throwable root = because;
        for (Throwable cause = root.getCause(); cause != null && cause != because; cause = cause.getCause()) {
            root = cause;
        }
        return root;
    }

    private static String shown(Throwable failure) {
        // Redisson appends the script and the channel.
        String said = failure.toString();
        return said.length() <= MAX_SHOWN ? said : said.substring(0, MAX_SHOWN) + "…";
    }

    /**
     * Asks once with more patience than later: the first call loads classes and connects, and would look like an outage to
     * the first tick otherwise. A Redis that is away costs this much of the start and no more.
     */
    private void firstContact() {
        RedissonClient fresh = client;
        if (fresh == null) {
            return;
        }
        try {
            ask(fresh).get(FIRST_CONTACT.toMillis(), TimeUnit.MILLISECONDS);
            answered();
        } catch (ExecutionException | TimeoutException e) {
            Throwable because = e.getCause() == null ? e : e.getCause();
            log.info("redis has not answered yet; until it does, leaders are chosen by the database alone ({})",
                    why(because));
            failed(because);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Asks for what a lock needs, a script that writes: a Redis that can only be read (a replica, one that is full) is no
     * better than none, and would be up at every probe and away at every tick. A lock is not asked for, as one that is
     * held takes no write.
     */
    private CompletableFuture<Long> ask(RedissonClient running) {
        return call(() -> running.getScript(StringCodec.INSTANCE).evalAsync(RScript.Mode.READ_WRITE, PROBE_SCRIPT,
                RScript.ReturnType.LONG, List.<Object>of(PROBE_KEY)));
    }

    /** Asks now and then, so that neither an outage nor its end is first noticed by a tick. */
    private Duration probe() throws InterruptedException {
        RedissonClient running = client;
        if (running != null && breaker.mayAsk()) {
            try {
                ask(running).get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
                answered();
                suspects.forEach((owner, suspect) -> {
                    CompletableFuture<Boolean> again = unlock(running, suspect.key(), owner);
                    log.trace("letting go of {} again: {}", suspect.key(), again);
                    suspects.computeIfPresent(owner, (same, now) -> now.unlocks() <= 1
                            ? null
                            : new Suspect(now.key(), now.unlocks() - 1));
                });
            } catch (ExecutionException | TimeoutException e) {
                failed(e.getCause() == null ? e : e.getCause());
            }
        }
        return PROBE;
    }

    /**
     * Lets a lock go that may have been won without our knowing: now, and again after Redis answers, because commands
     * that were under way when it stalled arrive in any order.
     */
    private void letGo(RedissonClient running, String key, long owner, CompletableFuture<Boolean> lock) {
        CompletableFuture<Boolean> early = unlock(running, key, owner);
        log.trace("letting go of {}: {}", key, early);
        if (suspects.size() < MAX_SUSPECTS) {
            suspects.put(owner, new Suspect(key, SUSPECT_UNLOCKS));
        }
        CompletableFuture<Boolean> late = lock
                .thenCompose(won -> won ? unlock(running, key, owner) : CompletableFuture.completedFuture(false));
        log.trace("letting go of {} if it is won late: {}", key, late);
    }

    private CompletableFuture<Boolean> unlock(RedissonClient running, String key, long owner) {
        CompletableFuture<Void> unlock = call(() -> running.getLock(key).unlockAsync(owner));
        leaving.put(owner, unlock);
        return unlock.handle((done, failure) -> {
            leaving.remove(owner, unlock);
            if (failure != null) {
                log.debug("lock {} could not be let go; it is over after its lease ({})", key, failure.toString());
            }
            return failure == null;
        });
    }

    private <T> CompletableFuture<T> call(Supplier<RFuture<T>> command) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            calls.execute(() -> {
                try {
                    command.get().whenComplete((value, failure) -> {
                        if (failure == null) {
                            result.complete(value);
                        } else {
                            result.completeExceptionally(failure);
                        }
                    });
                } catch (Throwable t) {
                    result.completeExceptionally(t);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    private final class Inside implements Pass {
        private final RedissonClient client;
        private final String key;
        private final long owner;

        private Inside(RedissonClient client, String key, long owner) {
            this.client = client;
            this.key = key;
            this.owner = owner;
        }

        @Override
        public void leave() {
            try {
                // Waits a little, so that whoever knows that the run has ended finds the gate open.
                unlock(client, key, owner).get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                log.trace("left {} without an answer", key, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
