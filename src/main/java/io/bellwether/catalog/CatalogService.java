package io.bellwether.catalog;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.bellwether.database.Database;
import io.bellwether.database.Notifications;
import io.bellwether.database.Transactions;
import io.bellwether.lifecycle.Periodic;
import io.bellwether.lifecycle.Service;
import io.bellwether.telemetry.Meters;

/**
 * The heads of this process and how they follow the database. Thread safe.
 *
 * <p>Two connections of its own: one for the looks, one that listens. Neither waits for the pool, so a pool that is
 * busy with a refresh delays no reader.
 */
public final class CatalogService implements Service {
    private static final Logger log = LoggerFactory.getLogger(CatalogService.class);
    private static final String CHANNEL = "bellwether";
    private static final String JOBS = "jobs";
    private static final Duration LOOK_LIMIT = Duration.ofSeconds(2);
    private static final Duration LOAD_LIMIT = Duration.ofSeconds(60);
    private static final Duration LISTEN_STEP = Duration.ofMillis(500);
    private static final Duration FIRST_LOAD = Duration.ofSeconds(5);
    private static final Duration ASKED = Duration.ofSeconds(1);

    /**
     * What a request is answered from.
     *
     * @param heads as of a look that began after the request arrived, unless stale
     * @param stale whether the database could not be seen
     */
    public record View(Heads heads, boolean stale) {}

    /** Something else that is loaded with the heads, whenever its own counter moved. */
    @FunctionalInterface
    public interface TokensLoader {
        /**
         * Loads all tokens anew, in the transaction that loads the heads.
         *
         * @param heads as they are in that transaction
         * @throws SQLException whatever the database says; everything is then loaded again soon
         */
        void load(Connection connection, Heads heads) throws SQLException;
    }

    /** Something else that is kept on this host's disk beside the heads, not on the thread of the looks. */
    @FunctionalInterface
    public interface Keeper {
        /** Writes what changed; called now and then, and soon after tokens changed. */
        void keep() throws IOException;
    }

    private final Database database;
    private final Meters meters;
    private final HeadsFile file;
    private final Looks looks = new Looks(this::lookOnce);
    private final Periodic listener = new Periodic("catalog-listen", Duration.ofSeconds(1), this::listenOnce);
    private final Periodic keeper = new Periodic("catalog-keep", Duration.ofSeconds(5), this::keepOnce);
    private final List<Consumer<Heads>> headsListeners = new CopyOnWriteArrayList<>();
    private final List<TokensLoader> tokensLoaders = new CopyOnWriteArrayList<>();
    private final List<Keeper> keepers = new CopyOnWriteArrayList<>();
    private final List<Runnable> jobsListeners = new CopyOnWriteArrayList<>();
    private volatile Heads heads = Heads.NONE;
    private volatile boolean seen;
    private @Nullable Connection lookConnection;
    /** Whether nothing was loaded over the look connection yet. */
    private boolean isFresh;
    private @Nullable Notifications notifications;
    private Heads kept = Heads.NONE;

    /**
     * A catalog that holds nothing yet.
     *
     * @param database where the truth is
     * @param file where the last heads are kept, for a start while the database is away
     * @param meters gets revision and size of each set
     */
    public CatalogService(Database database, HeadsFile file, Meters meters) {
        this.database = database;
        this.file = file;
        this.meters = meters;
    }

    @Override
    public String name() {
        return "catalog";
    }

    /**
     * Starts following. Returns when the heads are loaded, from the database or, when that is away, from the file; or
     * after a few seconds with neither, and then goes on trying.
     */
    @Override
    public void start() throws InterruptedException {
        Heads last = file.read();
        if (last != null) {
            swap(last);
            kept = last;
        }
        looks.start();
        listener.start();
        keeper.start();
        if (!looks.join(FIRST_LOAD)) {
            log.warn("started without the database, with {}",
                    last == null ? "nothing to serve" : last.byName().size() + " sets of the last time");
        }
    }

    /** Whether there are heads to answer from. */
    public boolean isLoaded() {
        return !heads.isNothing();
    }

    /** Whether the database was seen at the last look. */
    public boolean seesDatabase() {
        return seen && !looks.isBlind();
    }

    /** As {@link #heads}, for a reader: it counts as asking. */
    public Heads headsToRead() {
        looks.noteAsked();
        return heads;
    }

    /** Whether readers ask: whether any did within the last {@link #ASKED}. */
    public boolean isAsked() {
        return looks.isAskedWithin(ASKED);
    }

    /** What is held, without looking. */
    public Heads heads() {
        return heads;
    }

    /**
     * What is held after a look that began after this call, so that whoever calls after a publish was committed
     * anywhere sees it; or what is held, marked stale, when the database cannot be seen in time.
     */
    public View look() throws InterruptedException {
        boolean saw = looks.join();
        return new View(heads, !saw);
    }

    /**
     * As {@link #look()}, without a thread that waits.
     *
     * @param then called once, with what is held: by the executor, which calls others afterwards, or, when the database
     *        cannot be seen, perhaps on the caller's own thread; so it must not block
     * @param executor calls all who came with it and share a look in one task
     */
    public void look(Consumer<View> then, Executor executor) {
        looks.join(saw -> then.accept(new View(heads, !saw)), executor);
    }

    /** Asks for a look soon. */
    public void nudge() {
        looks.nudge();
    }

    /** Calls {@code listener} with the new heads whenever they changed; it must be quick, it holds up the looks. */
    public void onHeads(Consumer<Heads> listener) {
        headsListeners.add(listener);
    }

    /**
     * Loads tokens by {@code loader} with the first load and whenever tokens changed; a request that joined the look
     * which found the change is answered after it. To be called before the start.
     */
    public void onTokens(TokensLoader loader) {
        tokensLoaders.add(loader);
    }

    /** Lets {@code keeper} keep something on this host, on a thread of this catalog. To be called before the start. */
    public void onKeep(Keeper keeper) {
        keepers.add(keeper);
    }

    /** Calls {@code listener} when jobs or queued runs changed somewhere. A hint: it can be lost. */
    public void onJobs(Runnable listener) {
        jobsListeners.add(listener);
    }

    @Override
    public void stop(Duration grace) {
        listener.stop(grace);
        looks.stop(grace);
        keeper.stop(grace);
        closeLookConnection();
        if (notifications != null) {
            notifications.close();
            notifications = null;
        }
    }

    private void lookOnce() throws SQLException {
        try {
            Connection connection = lookConnection;
            if (connection == null) {
                connection = database.dedicatedConnection("bellwether-look");
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(LOOK_LIMIT.toMillis()));
                Database.noticeRestore(connection);
                lookConnection = connection;
                isFresh = true;
            }
            CatalogQueries.Counters counters = CatalogQueries.counters(connection);
            Heads held = heads;
            if (isFresh || !seen || counters.headsVersion() != held.version()
                    || !counters.epoch().equals(held.epoch())) {
                load(connection, held);
            }
        } catch (SQLException | RuntimeException e) {
            closeLookConnection();
            throw e;
        }
    }

    private void load(Connection connection, Heads held) throws SQLException {
        long begun = System.nanoTime();
        Heads loaded = loadOnce(connection, held);
        // Another process of this host may know of more than this one does.
        long known = isFresh ? file.versionIn(loaded.epoch()) : 0;
        if (loaded.fellBehind(held) || loaded.version() < known) {
            log.warn("the database was put back to an earlier state (version {}, {} is known): a new epoch begins, and"
                    + " clients that follow a set fetch it anew", loaded.version(), Math.max(held.version(), known));
            CatalogQueries.renewEpoch(connection, loaded, Math.max(held.version(), known));
            loaded = loadOnce(connection, held);
            if (loaded.fellBehind(held)) {
                throw new SQLException("the epoch of a database that was put back changed under the look");
            }
        }
        isFresh = false;
        if (!held.isNothing() && !held.epoch().equals(loaded.epoch())) {
            log.warn("the database has another epoch, {} instead of {}: everything was loaded again", loaded.epoch(),
                    held.epoch());
        }
        seen = true;
        looks.saw();
        swap(loaded);
        log.debug("loaded heads {} of {} sets in {} ms", loaded.version(), loaded.byName().size(),
                (System.nanoTime() - begun) / 1_000_000);
    }

    private Heads loadOnce(Connection connection, Heads held) throws SQLException {
        Heads loaded = Transactions.<Heads, RuntimeException>run(connection, "load the heads", LOAD_LIMIT, c -> {
            CatalogQueries.oneState(c);
            Heads fresh = CatalogQueries.load(c, held);
            if (!seen || fresh.tokensVersion() != held.tokensVersion() || !fresh.epoch().equals(held.epoch())) {
                for (TokensLoader loader : tokensLoaders) {
                    loader.load(c, fresh);
                }
                keeper.nudge();
            }
            return fresh;
        });
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(LOOK_LIMIT.toMillis()));
        return loaded;
    }

    private void swap(Heads loaded) {
        Heads before = heads;
        heads = loaded;
        for (SetState set : loaded.byName().values()) {
            if (before.byName().get(set.name()) != set && set.isPublished()) {
                meters.set(set.name(), set.revision(), set.head().policies(), set.head().bytes());
            }
        }
        before.byName().keySet().stream().filter(name -> !loaded.byName().containsKey(name)).forEach(meters::forget);
        headsListeners.forEach(listener -> call(() -> listener.accept(loaded)));
    }

    private static void call(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            log.error("a listener of the catalog failed", e);
        }
    }

    private void closeLookConnection() {
        Connection connection = lookConnection;
        lookConnection = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                log.debug("closing a broken connection", e);
            }
        }
    }

    private Duration listenOnce() throws SQLException {
        Notifications open = notifications;
        if (open == null) {
            open = new Notifications(database, CHANNEL);
            notifications = open;
            // Whatever was said while nobody listened is found by looking.
            looks.nudge();
            jobsListeners.forEach(CatalogService::call);
        }
        try {
            List<String> payloads = open.await(LISTEN_STEP);
            if (payloads.contains(JOBS)) {
                jobsListeners.forEach(CatalogService::call);
            }
            if (payloads.stream().anyMatch(p -> !p.equals(JOBS))) {
                looks.nudge();
            }
        } catch (SQLException e) {
            open.close();
            notifications = null;
            throw e;
        }
        return Duration.ZERO;
    }

    private Duration keepOnce() throws IOException {
        for (Keeper one : keepers) {
            one.keep();
        }
        Heads now = heads;
        if (seen && !now.isSameAs(kept)) {
            file.write(now);
            kept = now;
        }
        return Duration.ofSeconds(5);
    }
}
