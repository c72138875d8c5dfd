package io.bellwether.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.settings.Settings;
import io.bellwether.testing.TestPostgres;

class DatabaseTest {
    private Settings.Database settings;
    private Database database;

    @BeforeEach
    void open() {
        settings = TestPostgres.freshDatabase();
        database = TestPostgres.open(settings);
    }

    @AfterEach
    void close() {
        database.stop(Duration.ZERO);
    }

    @Test
    void migrate_severalAtOnceOnAnEmptyDatabase_oneMigratesAndTheOthersWait() throws Exception {
        Settings.Database empty = TestPostgres.emptyDatabase();
        List<Database> processes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Boolean>> starts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Database process = TestPostgres.open(empty);
                processes.add(process);
                starts.add(() -> {
                    process.migrate();
                    return true;
                });
            }
            for (Future<Boolean> start : threads.invokeAll(starts)) {
                assertThat(start.get()).isTrue();
            }
            assertThat(number(processes.getFirst(), "select count(*) from instance")).isEqualTo(1);
        } finally {
            processes.forEach(p -> p.stop(Duration.ZERO));
        }
    }

    // Each look at a table that was not there yet was an error in PostgreSQL's log.
    @Test
    void holdUntilMigrated_emptyDatabase_asksNothingBeforeTheTablesAreThere() throws Exception {
        Database fresh = TestPostgres.open(TestPostgres.emptyDatabase());
        try {
            fresh.holdUntilMigrated();
            assertThatThrownBy(
                    () -> fresh.<Boolean, SQLException>inTransaction("look", Duration.ofSeconds(5), connection -> {
                        throw new AssertionError("asked");
                    })).isInstanceOf(SQLTransientException.class).hasMessageContaining("not up to date");
            assertThatThrownBy(() -> fresh.dedicatedConnection("look")).isInstanceOf(SQLTransientException.class);
            fresh.migrate();
            assertThat(fresh.<Boolean, SQLException>inTransaction("look", Duration.ofSeconds(5), connection -> true))
                    .isTrue();
            fresh.dedicatedConnection("look").close();
        } finally {
            fresh.stop(Duration.ZERO);
        }
    }

    @Test
    void migrate_databaseCopiedFromAnother_beginsANewEpoch() throws Exception {
        String before = text("select epoch::text from instance");
        database.migrate();
        assertThat(text("select epoch::text from instance")).isEqualTo(before);
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement()) {
            statement.execute("update instance set fingerprint = 'another/1'");
        }
        database.migrate();
        assertThat(text("select epoch::text from instance")).isNotEqualTo(before);
    }

    @Test
    void inTransaction_bodyThrows_rollsBack() throws Exception {
        assertThatThrownBy(() -> database.inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("update instance set heads_version = 99");
            }
            throw new IllegalStateException("no");
        })).isInstanceOf(IllegalStateException.class);
        assertThat(number(database, "select heads_version from instance")).isEqualTo(1);
    }

    @Test
    void inTransaction_overItsLimit_isEndedByTheServer() {
        assertThatThrownBy(() -> database.inTransaction("test", Duration.ofMillis(200), connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("select pg_sleep(30)");
            }
            return true;
        })).isInstanceOf(SQLException.class);
    }

    @Test
    void binaryCopy_everyKindOfField_arrivesAsGiven() throws Exception {
        byte[] large = new byte[3 << 20];
        java.util.Arrays.fill(large, (byte) 'x');
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement()) {
            statement.execute("create temp table t (a bytea, b int8, c int4, d bytea)");
            try (BinaryCopy copy = new BinaryCopy(connection, "t (a, b, c, d)")) {
                for (int i = 0; i < 1000; i++) {
                    copy.row(4);
                    copy.bytes(i == 500 ? large : new byte[]{(byte) i, 0, -1});
                    copy.int8(Long.MIN_VALUE + i);
                    copy.int4(-i);
                    copy.nothing();
                }
                assertThat(copy.finish()).isEqualTo(1000);
            }
            try (ResultSet rows = statement.executeQuery("select a, b, c, d from t order by b")) {
                for (int i = 0; i < 1000; i++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getBytes(1)).isEqualTo(i == 500 ? large : new byte[]{(byte) i, 0, -1});
                    assertThat(rows.getLong(2)).isEqualTo(Long.MIN_VALUE + i);
                    assertThat(rows.getInt(3)).isEqualTo(-i);
                    assertThat(rows.getBytes(4)).isNull();
                }
            }
        }
    }

    @Test
    void binaryCopyOut_manyRowsNullsAndNone_areReadAsTheyAre() throws Exception {
        try (Connection connection = database.dedicatedConnection("test")) {
            for (int count : new int[]{0, 1, 5000}) {
                String query = "select decode(md5(i::text), 'hex'), case when i % 2 = 0 then ''::bytea end"
                        + " from generate_series(1, " + count + ") i order by i";
                try (BinaryCopyOut copy = new BinaryCopyOut(connection, query, 2)) {
                    for (int i = 1; i <= count; i++) {
                        assertThat(copy.next()).isTrue();
                        byte[] md5 = java.security.MessageDigest.getInstance("MD5")
                                .digest(Integer.toString(i).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                        assertThat(copy.bytes(0)).isEqualTo(md5);
                        assertThat(copy.length(1)).isEqualTo(i % 2 == 0 ? 0 : -1);
                    }
                    assertThat(copy.next()).isFalse();
                }
                try (Statement statement = connection.createStatement()) {
                    assertThat(statement.execute("select 1")).isTrue();
                }
            }
            try (BinaryCopyOut copy = new BinaryCopyOut(connection, "select i from generate_series(1, 10) i", 1)) {
                assertThat(copy.next()).isTrue();
            }
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void binaryCopyOut_queryFailsOnTheWay_throws() throws Exception {
        try (Connection connection = database.dedicatedConnection("test");
                BinaryCopyOut copy = new BinaryCopyOut(connection,
                        "select 1000 / (900 - i) from generate_series(1, 1000) i", 1)) {
            assertThatThrownBy(() -> {
                while (copy.next()) {
                    assertThat(copy.length(0)).isEqualTo(4);
                }
            }).isInstanceOf(SQLException.class).hasMessageContaining("division by zero");
        }
    }

    @Test
    void binaryCopy_closedWithoutFinish_writesNothing() throws Exception {
        try (Connection connection = database.dedicatedConnection("test");
                Statement statement = connection.createStatement()) {
            statement.execute("create temp table t (a bytea)");
            try (BinaryCopy copy = new BinaryCopy(connection, "t (a)")) {
                copy.row(1);
                copy.bytes(new byte[1 << 20]);
            }
            try (ResultSet rows = statement.executeQuery("select count(*) from t")) {
                rows.next();
                assertThat(rows.getLong(1)).isZero();
            }
        }
    }

    @Test
    void clock_localClockSevenSecondsSlow_followsTheDatabase() throws Exception {
        DatabaseClock clock = new DatabaseClock(InstantSource.offset(InstantSource.system(), Duration.ofSeconds(-7)));
        assertThat(clock.isSampled()).isFalse();
        clock.sample(database);
        assertThat(clock.isSampled()).isTrue();
        assertThat(clock.offset()).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(8));
        assertThat(Duration.between(Instant.now(), clock.instant()).abs()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void clock_sampleWithALongRoundTrip_isDroppedUnlessItIsTheFirst() {
        // A process that was paused with the answer in hand took the database's time to be minutes ago.
        Instant now = Instant.now();
        long nanos = System.nanoTime();
        DatabaseClock clock = new DatabaseClock(InstantSource.fixed(now));
        clock.take(now.plusSeconds(100), now, nanos - 1_500_000_000L, nanos);
        assertThat(clock.isSampled()).isTrue();
        assertThat(clock.offset()).as("the first, for want of a better one").isEqualTo(Duration.ofMillis(100_750));
        clock.take(now.plusSeconds(3), now, nanos - 10_000_000L, nanos);
        assertThat(clock.offset()).isEqualTo(Duration.ofMillis(3_005));
        clock.take(now.plusSeconds(3), now, nanos - 62_000_000_000L, nanos);
        assertThat(clock.offset()).as("after a pause of a minute").isEqualTo(Duration.ofMillis(3_005));
    }

    @Test
    void notifications_sentElsewhere_arrive() throws Exception {
        try (Notifications notifications = new Notifications(database, "bellwether")) {
            database.inTransaction("test", Duration.ofSeconds(5), connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("select pg_notify('bellwether', '7')");
                }
                return true;
            });
            assertThat(notifications.await(Duration.ofSeconds(10))).containsExactly("7");
        }
    }

    private String text(String query) throws SQLException {
        return database.<String, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getString(1);
            }
        });
    }

    private static long number(Database database, String query) throws SQLException {
        return database.<Long, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getLong(1);
            }
        });
    }
}
