package io.bellwether.cli;

import static io.bellwether.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.bellwether.admin.ProcessList;
import io.bellwether.admin.SetAdmin;
import io.bellwether.admin.SetRuns;
import io.bellwether.admin.TokenAdmin;
import io.bellwether.catalog.CatalogService;
import io.bellwether.catalog.HeadsFile;
import io.bellwether.database.Database;
import io.bellwether.fleet.BearerToken;
import io.bellwether.fleet.Tokens;
import io.bellwether.http.AdminContentRoutes;
import io.bellwether.http.AdminJobRoutes;
import io.bellwether.http.AdminSetRoutes;
import io.bellwether.http.AdminTokenRoutes;
import io.bellwether.http.Authenticator;
import io.bellwether.http.HttpServer;
import io.bellwether.lease.JobControl;
import io.bellwether.lease.JobQueries;
import io.bellwether.settings.Settings;
import io.bellwether.telemetry.Meters;
import io.bellwether.testing.TestPostgres;

/** The commands that operate a cluster, against a real server. */
class ApiCommandsTest {
    private static final String ADMIN = "the-admin-token-of-the-test";
    private static final String FILE = """
            firewall:
              source: {url: "https://feeds.example/a", headers: {Authorization: hush}}
              schedule: "0 0 4 * * *"
            geo:
              source: {url: "https://feeds.example/b"}
              schedule: "0 0 5 * * *"
            """;

    private final Database database = TestPostgres.open(TestPostgres.freshDatabase());
    private final Meters meters = new Meters();
    private HttpServer server;

    @TempDir
    private Path dir;

    @BeforeEach
    void start() throws Exception {
        InstantSource clock = InstantSource.system();
        Tokens tokens = new Tokens(new CatalogService(database, new HeadsFile(dir), meters), clock, dir);
        SetAdmin sets = new SetAdmin(database,
                url -> url.contains("metadata") ? Optional.of("that host is not allowed") : Optional.empty());
        server = new HttpServer("127.0.0.1", 0,
                List.of(new AdminSetRoutes(sets, new ProcessList(database)),
                        new AdminJobRoutes(new JobQueries(database), new JobControl(database), clock),
                        new AdminContentRoutes(new SetRuns(database)),
                        new AdminTokenRoutes(new TokenAdmin(database, clock))),
                new Authenticator(new Settings.Secret(ADMIN), tokens::held, tokens::find), meters, "test-1-abcd");
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(Duration.ZERO);
        meters.close();
        database.stop(Duration.ZERO);
    }

    @Test
    void apply_aFile_createsThenLeavesThenChanges() throws Exception {
        Path file = Files.writeString(dir.resolve("sets.yaml"), FILE);
        assertThat(ok("apply", "-f", file.toString()).outLines()).containsExactly("created firewall", "created geo");
        assertThat(ok("apply", "-f", file.toString()).outLines()).containsExactly("unchanged firewall",
                "unchanged geo");
        Files.writeString(file, FILE.replace("feeds.example/b", "feeds.example/c"));
        assertThat(ok("apply", "--file=" + file).outLines()).containsExactly("unchanged firewall", "changed geo");
        JsonNode json = ok("apply", "-f", file.toString(), "--json").json();
        assertThat(json.path("sets")).hasSize(2);
        assertThat(json.toString()).contains("(secret)").doesNotContain("hush");
    }

    @Test
    void apply_fromStandardInput_isTheSame() {
        CommandRun run = CommandRun.with(FILE, environment(), "apply", "-f", "-");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.outLines()).containsExactly("created firewall", "created geo");
    }

    @Test
    void apply_aMistakeInOneSet_changesNothingAndSaysWhere() throws Exception {
        CommandRun run = CommandRun.with(FILE.replace("0 0 5", "0 0 25"), environment(), "apply", "-f", "-");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.errLines()).singleElement().asString()
                .startsWith("bellwether apply: standard input line 6, set 'geo': schedule '0 0 25");
        assertThat(ok("sets").outLines()).hasSize(1);
    }

    @Test
    void apply_whatOnlyTheServerRefuses_saysWhereAndDeclaresTheOthers() {
        CommandRun run = CommandRun.with(FILE.replace("feeds.example/a", "metadata.example/a"), environment(), "apply",
                "-f", "-");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.errLines()).singleElement().asString()
                .startsWith("bellwether apply: standard input line 2, set 'firewall': source.url: that host");
        assertThat(run.outLines()).containsExactly("created geo");
    }

    @Test
    void apply_aFileThatIsNotThere_isOneLine() {
        CommandRun run = run("apply", "-f", dir.resolve("none.yaml").toString());
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.errLines()).singleElement().asString().contains("there is no file");
    }

    @Test
    void sets_jobsAndRuns_asTablesAndAsJson() throws Exception {
        apply();
        assertThat(ok("sets").outLines()).hasSize(3).element(1).asString()
                .matches("firewall +0 +0 0 4 \\* \\* \\* +UTC +yes +https://feeds.example/a");
        assertThat(ok("sets", "--json").json().path("sets")).hasSize(2);
        assertThat(ok("jobs").outLines()).hasSize(3).element(2).asString().contains("geo").contains("idle");
        assertThat(ok("jobs", "--json").json().path("jobs")).hasSize(2);
        ok("run", "firewall");
        ok("run", "geo", "--reason", "a test");
        assertThat(ok("runs").outLines()).hasSize(3).element(1).asString().contains("geo").contains("queued")
                .contains("a test");
        assertThat(ok("runs", "firewall").outLines()).hasSize(2);
        assertThat(ok("runs", "--limit=1", "--json").json().path("runs")).hasSize(1);
        CommandRun unknown = run("runs", "nope");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.errLines()).containsExactly("bellwether runs: there is no job 'nope'");
    }

    @ParameterizedTest
    @CsvSource({"published,0,'published revision 3 of firewall: 2 put, 1 deleted, 7 unchanged',''",
            "unchanged,0,'unchanged: 7 policies as they were',''", "refused,3,'',ended as refused: too many deletes",
            "failed,1,'',ended as failed: too many deletes", "timed-out,1,'',ended as timed-out: too many deletes"})
    void run_withWait_endsAsTheRunDid(String state, int code, String out, String err) throws Exception {
        apply();
        CompletableFuture<CommandRun> waiting = CompletableFuture
                .supplyAsync(() -> run("run", "firewall", "--wait", "--timeout=1m"));
        finishQueued(state);
        CommandRun run = waiting.get();
        assertThat(run.code()).isEqualTo(code);
        assertThat(run.out()).startsWith(out);
        assertThat(run.err()).contains(err);
        assertThat(run.errLines()).hasSize(code == 0 ? 0 : 1);
    }

    @Test
    void approve_aCandidate_endsAsItsRunDid() throws Exception {
        apply();
        String hash = "ab".repeat(32);
        update("insert into run (job_id, kind, scheduled_at, state, finished_at, upserts, deletes, unchanged, reason,"
                + " candidate) select job_id, 'cron', now(), 'refused', now(), 0, 9, 1, 'too many deletes', decode('"
                + hash + "', 'hex') from job where name = 'firewall'");
        assertThat(ok("runs", "firewall").out()).contains("candidate " + hash + ": too many deletes");
        CompletableFuture<CommandRun> waiting = CompletableFuture
                .supplyAsync(() -> run("approve", "firewall", hash, "--reason=wanted"));
        finishQueued("published");
        assertThat(waiting.get().code()).as(waiting.get().err()).isZero();
        assertThat(waiting.get().out()).startsWith("published revision 3 of firewall");
        CommandRun used = run("approve", "firewall", hash);
        assertThat(used.code()).isEqualTo(1);
        assertThat(used.errLines()).singleElement().asString().contains("was used by run");
        assertThat(run("approve", "firewall", "nonsense").code()).isEqualTo(1);
    }

    @Test
    void rollback_toAKeptRevision_saysThatTheJobIsPaused() throws Exception {
        apply();
        assertThat(run("rollback", "firewall", "1").errLines()).containsExactly(
                "bellwether rollback: 'firewall' has no revision 1; the head is 0");
        assertThat(run("rollback", "firewall", "one").code()).isEqualTo(2);
        update("update policy_set set revision = 2 where name = 'firewall'");
        update("insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts, deletes,"
                + " has_delta, published_at, process) select set_id, 1, 0, 0, 0, sha256(''), 0, 0, false, now(), 'p'"
                + " from policy_set where name = 'firewall'");
        CompletableFuture<CommandRun> waiting = CompletableFuture.supplyAsync(() -> run("rollback", "firewall", "1"));
        finishQueued("published");
        assertThat(waiting.get().code()).as(waiting.get().err()).isZero();
        assertThat(waiting.get().outLines()).hasSize(2).last()
                .isEqualTo("firewall is paused until 'bellwether resume firewall'");
    }

    @Test
    void run_withWaitThatIsTakenOver_waitsForTheNextAttempt() throws Exception {
        apply();
        CompletableFuture<CommandRun> waiting = CompletableFuture.supplyAsync(() -> run("run", "firewall", "--wait"));
        eventually("queued", Duration.ofSeconds(20), () -> update("""
                with gone as (update run set state = 'abandoned', finished_at = now() where state = 'queued'
                              returning job_id, scheduled_at)
                insert into run (job_id, kind, scheduled_at, attempt, state, revision, upserts, deletes, unchanged)
                select job_id, 'take-over', scheduled_at, 2, 'published', 3, 2, 1, 7 from gone""") == 1);
        assertThat(waiting.get().code()).isZero();
        assertThat(waiting.get().out()).startsWith("published revision 3");
    }

    @Test
    void run_withWaitAndNobodyToRunIt_givesUpInTime() {
        apply();
        CommandRun run = run("run", "firewall", "--wait", "--timeout=PT0.6S");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("is still queued after PT0.6S");
    }

    @Test
    void pauseAndResume_tellTheState() {
        apply();
        assertThat(ok("pause", "firewall", "--reason", "upstream moves").outLines())
                .containsExactly("firewall: paused");
        assertThat(ok("jobs").out()).contains("paused");
        assertThat(ok("pause", "firewall", "--until=2999-01-01T00:00:00Z").outLines())
                .containsExactly("firewall: paused until 2999-01-01T00:00:00Z");
        assertThat(ok("resume", "firewall").out()).startsWith("firewall: idle, next tick ");
        assertThat(run("pause", "firewall", "--until=2001-01-01T00:00:00Z").code()).isEqualTo(2);
    }

    @Test
    void token_createdListedAndRevoked() throws Exception {
        CommandRun created = ok("token", "create", "--server", "edge-01", "--set", "firewall", "--set", "geo-*",
                "--expires", Instant.parse("2999-01-01T00:00:00Z").toString());
        assertThat(created.outLines()).hasSize(1);
        BearerToken token = BearerToken.parse(created.outLines().getFirst()).orElseThrow();
        assertThat(ok("token", "list").outLines()).hasSize(2).element(1).asString().contains(token.id())
                .contains("firewall geo-*").doesNotContain(token.secret());
        assertThat(ok("token", "revoke", token.id()).outLines()).containsExactly("revoked " + token.id());
        assertThat(run("token", "revoke", "0123456789ab").code()).isEqualTo(1);
        CommandRun wrong = run("token", "create", "--server=edge", "--set=*x");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.errLines()).hasSize(1);
    }

    @Test
    void everyCommand_withAnotherToken_saysThatItIsNotTheAdminToken() {
        CommandRun run = CommandRun.of(Map.of("BELLWETHER_URL", url(), "BELLWETHER_TOKEN", "something-else"), "sets");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("admin token");
    }

    @Test
    void options_winOverTheEnvironment() {
        CommandRun run = CommandRun.of(Map.of("BELLWETHER_URL", "http://127.0.0.1:1", "BELLWETHER_TOKEN", "x"), "sets",
                "--url", url() + "/", "--token", ADMIN);
        assertThat(run.code()).as(run.err()).isZero();
    }

    private void finishQueued(String state) throws Exception {
        eventually("a queued run", Duration.ofSeconds(20), () -> update("update run set state = '" + state
                + "', finished_at = now(), revision = 3, upserts = 2, deletes = 1, unchanged = 7,"
                + " reason = 'too many deletes' where state = 'queued'") == 1);
    }

    private int update(String sql) throws Exception {
        return database.<Integer, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return statement.executeUpdate();
            }
        });
    }

    private void apply() {
        assertThat(CommandRun.with(FILE, environment(), "apply", "-f", "-").code()).isZero();
    }

    private CommandRun ok(String... args) {
        CommandRun run = run(args);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        return run;
    }

    private CommandRun run(String... args) {
        return CommandRun.of(environment(), args);
    }

    private Map<String, String> environment() {
        return Map.of("BELLWETHER_URL", url(), "BELLWETHER_TOKEN", ADMIN);
    }

    private String url() {
        return "http://127.0.0.1:" + server.port();
    }
}
