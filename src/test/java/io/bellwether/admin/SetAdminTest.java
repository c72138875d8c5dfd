package io.bellwether.admin;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.database.Notifications;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;

class SetAdminTest {
    private static final String PLAIN = "{\"source\":{\"url\":\"http://feeds.example/a\"},\"schedule\":\"0 0 4 * * *\"}";
    private static final String WITH_SECRET = "{\"source\":{\"url\":\"http://feeds.example/a\","
            + "\"headers\":{\"Authorization\":\"hush\"}},\"schedule\":\"0 0 4 * * *\"}";
    private static final String MASKED = WITH_SECRET.replace("hush", "(secret)");

    private final ObjectMapper json = new ObjectMapper();
    private final Database database = TestPostgres.open(TestPostgres.freshDatabase());
    private final SetAdmin admin = new SetAdmin(database,
            url -> url.contains("metadata") ? Optional.of("that host is not allowed") : Optional.empty());

    @AfterEach
    void close() {
        database.stop(Duration.ZERO);
    }

    @Test
    void put_aNewSet_createsItWithItsJob() throws Exception {
        SetAdmin.Put put = put("firewall", PLAIN);
        assertThat(put.change()).isEqualTo(Change.CREATED);
        assertThat(put.set().revision()).isZero();
        assertThat(put.set().definition().path("zone").asText()).isEqualTo("UTC");
        assertThat(Sql.value(database, """
                select j.kind || ' ' || j.schedule || ' ' || j.zone || ' ' || j.misfire || ' ' || j.max_runtime || ' '
                       || j.enabled || ' ' || (s.name = j.name) || ' ' || (j.tick_cursor > now() - interval '1 minute')
                  from job j join policy_set s using (set_id)"""))
                .isEqualTo("refresh 0 0 4 * * * UTC coalesce 00:10:00 true true true");
    }

    @Test
    void put_theSameAgain_writesNothing() throws Exception {
        put("firewall", PLAIN);
        String before = versions();
        assertThat(put("firewall", PLAIN).change()).isEqualTo(Change.UNCHANGED);
        assertThat(put("firewall", with(PLAIN, "\"enabled\":true")).change()).as("a default spelled out")
                .isEqualTo(Change.UNCHANGED);
        assertThat(versions()).isEqualTo(before);
    }

    @Test
    void put_anotherSchedule_raisesTheJobsVersionAndForgetsThePast() throws Exception {
        put("firewall", PLAIN);
        Sql.update(database, "update job set tick_cursor = now() - interval '1 hour'");
        assertThat(put("firewall", PLAIN.replace("0 0 4", "0 0 5")).change()).isEqualTo(Change.CHANGED);
        assertThat(Sql.value(database, "select definition_version || ' ' || (tick_cursor > now() - interval '1 minute')"
                + " || ' ' || schedule from job")).isEqualTo("2 true 0 0 5 * * *");
    }

    @Test
    void put_somethingTheScheduleDoesNotKnow_leavesTheJobAlone() throws Exception {
        put("firewall", PLAIN);
        String before = Sql.value(database, "select definition_version || ' ' || tick_cursor from job");
        assertThat(put("firewall", PLAIN.replace("feeds.example/a", "feeds.example/b")).change())
                .isEqualTo(Change.CHANGED);
        assertThat(Sql.value(database, "select definition_version || ' ' || tick_cursor from job")).isEqualTo(before);
    }

    @Test
    void put_disabledAndEnabledAgain_countsFromNow() throws Exception {
        put("firewall", PLAIN);
        put("firewall", with(PLAIN, "\"enabled\":false"));
        assertThat(Sql.value(database, "select enabled from job")).isEqualTo("f");
        Sql.update(database, "update job set tick_cursor = now() - interval '100 days'");
        put("firewall", PLAIN);
        assertThat(Sql.value(database, "select enabled || ' ' || (tick_cursor > now() - interval '1 minute') from job"))
                .isEqualTo("true true");
    }

    @Test
    void put_andDelete_raiseTheCounterOfReadersAndNotify() throws Exception {
        try (Notifications heard = new Notifications(database, "bellwether")) {
            long before = headsVersion();
            put("firewall", PLAIN);
            assertThat(headsVersion()).isEqualTo(before + 1);
            assertThat(Sql.value(database, "select version from policy_set")).isEqualTo(Long.toString(before + 1));
            assertThat(heard.await(Duration.ofSeconds(5))).contains("firewall", "jobs");
            assertThat(admin.delete("firewall")).isTrue();
            assertThat(headsVersion()).isEqualTo(before + 2);
            assertThat(heard.await(Duration.ofSeconds(5))).contains("firewall", "jobs");
        }
    }

    @Test
    void put_aWrongDefinition_saysEverythingThatIsWrongAtOnceAndWritesNothing() throws Exception {
        Fault fault = refused("firewall", """
                {"source": {"url": "http://metadata.internal/"}, "schedule": "0 0 0 30 2 *", "guard": {"maxDeletes": 1},
                 "keepRevisions": 0}""");
        assertThat(fault.kind()).isEqualTo(FaultKind.INVALID_DEFINITION);
        assertThat(fault.detail()).contains("never fires").contains("that host is not allowed")
                .contains("guard.maxDeletes is unknown").contains("keepRevisions must be");
        assertThat(Sql.value(database, "select count(*) from policy_set")).isEqualTo("0");
    }

    @Test
    void put_aWrongName_isRefused() throws Exception {
        assertThat(refused("Fire wall", PLAIN).detail()).contains("the name of a set must be 1 to 63");
    }

    @Test
    void put_theNameOfABuiltInJob_isAConflict() throws Exception {
        Sql.update(database,
                "insert into job (name, kind, schedule) values ('retention', 'retention', '0 0 * * * *')");
        assertThat(refused("retention", PLAIN).kind()).isEqualTo(FaultKind.CONFLICT);
        assertThat(Sql.value(database, "select kind from job")).isEqualTo("retention");
    }

    @Test
    void secrets_inEveryAnswer_areMasked() throws Exception {
        String put = put("firewall", WITH_SECRET).set().json().toString();
        String got = admin.get("firewall").orElseThrow().json().toString();
        String listed = admin.list().getFirst().json().toString();
        assertThat(List.of(put, got, listed)).allMatch(text -> text.contains("(secret)") && !text.contains("hush"));
    }

    @Test
    void secrets_sentBackMasked_keepTheStoredValue() throws Exception {
        put("firewall", WITH_SECRET);
        assertThat(put("firewall", MASKED).change()).isEqualTo(Change.UNCHANGED);
        assertThat(put("firewall", MASKED.replace("0 0 4", "0 0 5").replace("Authorization", "authorization")).change())
                .isEqualTo(Change.CHANGED);
        assertThat(Sql.value(database, "select definition #>> '{source,headers,authorization}' from policy_set"))
                .isEqualTo("hush");
    }

    @Test
    void secrets_maskedForAnotherHost_areRefused() throws Exception {
        // Whoever may define sets may not read header values; pointing the source at a host of one's own would do that.
        put("firewall", WITH_SECRET);
        assertThat(refused("firewall", MASKED.replace("http://feeds", "http://evil")).detail())
                .contains("source.headers.Authorization must be given again");
        assertThat(refused("firewall", MASKED.replace("http:", "https:")).detail()).contains("must be given again");
        assertThat(put("firewall", MASKED.replace("/a\"", "/b\"")).change()).isEqualTo(Change.CHANGED);
    }

    @Test
    void secrets_maskedWhereNothingIsStored_areRefused() throws Exception {
        assertThat(refused("firewall", MASKED).detail()).contains("no value is stored");
        put("firewall", PLAIN);
        assertThat(refused("firewall", MASKED).detail()).contains("no value is stored");
    }

    @Test
    void put_byManyAtOnce_createsOnceAndEndsWithOneOfThem() throws Exception {
        List<Callable<Change>> puts = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String definition = PLAIN.replace("/a", "/" + i % 4);
            puts.add(() -> put("firewall", definition).change());
        }
        List<Change> changes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (Future<Change> done : threads.invokeAll(puts)) {
                changes.add(done.get());
            }
        }
        assertThat(changes).containsOnlyOnce(Change.CREATED);
        assertThat(Sql.value(database,
                "select count(*) || ' ' || max(s.version) from policy_set s join job using (set_id)"))
                .as("each change raised the version").isEqualTo("1 " + headsVersion());
    }

    @Test
    void putAndDelete_byManyAtOnce_allEndAndLeaveAllOrNothing() throws Exception {
        List<Callable<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String definition = PLAIN.replace("/a", "/" + i);
            boolean delete = i % 3 == 0;
            all.add(() -> delete
                    ? admin.delete("firewall")
                    : put("firewall", definition).set().name().equals("firewall"));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            for (Future<Boolean> done : threads.invokeAll(all)) {
                done.get();
            }
        }
        assertThat(Sql.value(database, "select (select count(*) from policy_set) - (select count(*) from job)"))
                .isEqualTo("0");
    }

    @Test
    void delete_aSetThatWasPublished_removesAllOfItAndTheNextOfThatNameGoesOn() throws Exception {
        put("firewall", PLAIN);
        Sql.update(database, "update policy_set set revision = 7");
        Sql.update(database, "insert into policy select set_id, 'k', '{}', sha256('') from policy_set");
        Sql.update(database, "insert into revision select set_id, 7, 1, 1, 1, sha256(''), 1, 0, false, now(), null, 'p'"
                + " from policy_set");
        assertThat(admin.delete("firewall")).isTrue();
        assertThat(admin.delete("firewall")).isFalse();
        assertThat(admin.get("firewall")).isEmpty();
        assertThat(Sql.value(database, "select (select count(*) from policy) + (select count(*) from revision)"
                + " + (select count(*) from job)")).isEqualTo("0");
        // No client may see the revision fall inside an epoch, not even across a deletion.
        assertThat(put("firewall", PLAIN).set().revision()).isEqualTo(7);
        assertThat(put("other", PLAIN).set().revision()).isZero();
    }

    @Test
    void delete_whileARunHoldsALongTransaction_endsThatFirst() throws Exception {
        put("firewall", PLAIN);
        long jobId = Long.parseLong(Sql.value(database, "select job_id from job"));
        TestLease lease = TestLease.claim(database, jobId);
        try (Connection load = database.dedicatedConnection("load")) {
            lease.adopt(load);
            load.setAutoCommit(false);
            try (Statement insert = load.createStatement()) {
                insert.execute("insert into policy select set_id, 'k', '{}', sha256('') from policy_set");
            }
            assertThat(admin.delete("firewall")).isTrue();
            assertThatThrownBy(load::commit).isInstanceOf(SQLException.class);
        }
        assertThat(Sql.value(database, "select count(*) from policy")).isEqualTo("0");
    }

    @Test
    void put_whileALongLoadIsUnderWay_doesNotWaitForIt() throws Exception {
        put("firewall", PLAIN);
        try (Connection load = database.dedicatedConnection("load"); Statement insert = load.createStatement()) {
            load.setAutoCommit(false);
            insert.execute("insert into policy select set_id, 'k', '{}', sha256('') from policy_set");
            // With a lock as strong as a key's change this would wait for the load, and give up after its limit.
            assertThat(put("firewall", PLAIN.replace("0 0 4", "0 0 5")).change()).isEqualTo(Change.CHANGED);
            load.rollback();
        }
    }

    @Test
    void delete_inADeadlockWithAPublish_isDoneAllTheSame() throws Exception {
        put("firewall", PLAIN);
        try (Connection publish = database.dedicatedConnection("publish");
                Statement sql = publish.createStatement();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            publish.setAutoCommit(false);
            sql.execute("select 1 from job for update");
            Future<Boolean> deleted = threads.submit(() -> admin.delete("firewall"));
            eventually("the deletion waits for the job", Duration.ofSeconds(20),
                    () -> Sql.value(database, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and query like 'with gone%' and datname = current_database()").equals("1"));
            try {
                sql.execute("select 1 from policy_set for no key update");
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as("the publish may be the victim").isEqualTo("40P01");
            }
            publish.rollback();
            assertThat(deleted.get()).isTrue();
        }
        assertThat(Sql.value(database, "select count(*) from policy_set")).isEqualTo("0");
    }

    @Test
    void list_givesAllByName() throws Exception {
        put("b", PLAIN);
        put("a", PLAIN);
        assertThat(admin.list()).extracting(StoredSet::name).containsExactly("a", "b");
    }

    @Test
    void get_aStoredDefinitionThatThisVersionWouldRefuse_isShownMasked() throws Exception {
        put("firewall", WITH_SECRET);
        Sql.update(database,
                "update policy_set set definition = definition || '{\"future\": 1, \"keepRevisions\": 0}'");
        assertThat(admin.get("firewall").orElseThrow().definition().toString()).contains("future").contains("(secret)")
                .doesNotContain("hush");
        assertThat(put("firewall", MASKED).change()).isEqualTo(Change.CHANGED);
    }

    private SetAdmin.Put put(String name, String definition) throws Exception {
        JsonNode sent = json.readTree(definition);
        return admin.put(name, sent);
    }

    private Fault refused(String name, String definition) {
        Fault fault = catchThrowableOfType(Fault.class, () -> put(name, definition));
        assertThat(fault).isNotNull();
        return fault;
    }

    private static String with(String definition, String member) {
        return definition.substring(0, definition.length() - 1) + "," + member + "}";
    }

    private String versions() throws Exception {
        return headsVersion() + " " + Sql.value(database, "select version from policy_set") + " "
                + Sql.value(database, "select definition_version || ' ' || tick_cursor from job");
    }

    private long headsVersion() throws Exception {
        return Long.parseLong(Sql.value(database, "select heads_version from instance"));
    }
}
