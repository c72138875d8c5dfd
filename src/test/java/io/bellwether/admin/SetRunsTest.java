package io.bellwether.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.fault.Fault;
import io.bellwether.fault.FaultKind;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunView;
import io.bellwether.policy.Sha256;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestSets;

class SetRunsTest {
    private static final Sha256 HASH = Sha256.of(new byte[]{1});
    private static final Sha256 OTHER = Sha256.of(new byte[]{2});

    private final Database database = TestPostgres.open(TestPostgres.freshDatabase());
    private final SetRuns runs = new SetRuns(database);
    private TestSets.Inserted set;

    @BeforeEach
    void insert() throws Exception {
        set = TestSets.insert(database, "demo", TestSets.definition(URI.create("https://feeds.example/a")));
    }

    @AfterEach
    void stop() {
        database.stop(Duration.ZERO);
    }

    @Test
    void candidates_ofRefusedRuns_areToldOnceEachTheNewestFirst() throws Exception {
        assertThat(runs.candidates("demo")).isEmpty();
        refuse(HASH);
        refuse(OTHER);
        refuse(HASH);
        assertThat(runs.candidates("demo")).extracting(Candidate::hash).containsExactly(HASH.hex(), OTHER.hex());
        assertThat(runs.candidates("demo").getFirst().deletes()).isEqualTo(7);
        fault(FaultKind.NOT_FOUND, () -> runs.candidates("nothing"));
    }

    @Test
    void rollback_toARevisionThatIsKeptAsAChangeOnly_isGone() throws Exception {
        database.<Boolean, RuntimeException>inTransaction("test", Duration.ofSeconds(5), connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute("""
                        insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts,
                            deletes, has_delta, published_at, process)
                        select set_id, n, 0, 0, 0, sha256(''), 0, 0, true, now(), 'test'
                        from policy_set, generate_series(2, 5) n;
                        update policy_set set revision = 5, contents_from = 4""");
            }
        });
        for (long revision : new long[]{1, 2, 3}) {
            assertThatThrownBy(() -> runs.rollback("demo", revision, null, null)).isInstanceOfSatisfying(Fault.class,
                    fault -> {
                        assertThat(fault.kind()).isEqualTo(FaultKind.REVISION_GONE);
                        assertThat(fault).hasMessageEndingWith("the oldest whose contents are kept is 4");
                    });
        }
        fault(FaultKind.NOT_FOUND, () -> runs.rollback("demo", 6, null, null));
        assertThat(runs.rollback("demo", 4, null, null).state()).isEqualTo("queued");
    }

    @Test
    void approve_aCandidate_isOneQueuedRunHoweverOftenItIsAskedFor() throws Exception {
        refuse(HASH);
        RunView run = runs.approve("demo", HASH, "key-1", "the upstream is really empty");
        assertThat(run.state()).isEqualTo("queued");
        assertThat(run.request()).isEqualTo("{\"approve\": \"" + HASH + "\"}");
        assertThat(run.reason()).isEqualTo("approval of candidate " + HASH + ": the upstream is really empty");
        assertThat(runs.approve("demo", HASH, "key-2", null).id()).isEqualTo(run.id());
        assertThat(runs.approve("demo", HASH, null, null).id()).isEqualTo(run.id());
        assertThat(runs.candidates("demo").getFirst().approvedBy()).isEqualTo(run.id());
        fault(FaultKind.NOT_FOUND, () -> runs.approve("demo", OTHER, null, null));
        fault(FaultKind.NOT_FOUND, () -> runs.approve("nothing", HASH, null, null));
    }

    @Test
    void approve_onceUsed_needsARefusalAnew() throws Exception {
        refuse(HASH);
        RunView run = runs.approve("demo", HASH, "key-1", null);
        end(run, "published");
        fault(FaultKind.CONFLICT, () -> runs.approve("demo", HASH, "key-2", null));
        // Whoever asks again under the same key gets the same answer.
        assertThat(runs.approve("demo", HASH, "key-1", null).id()).isEqualTo(run.id());
        refuse(HASH);
        assertThat(runs.approve("demo", HASH, "key-3", null).id()).isNotEqualTo(run.id());
    }

    @Test
    void approve_afterARunThatCameToNothing_isAskedForAnew() throws Exception {
        refuse(HASH);
        RunView run = runs.approve("demo", HASH, null, null);
        end(run, "failed");
        assertThat(runs.approve("demo", HASH, null, null).id()).isNotEqualTo(run.id());
    }

    @Test
    void rollback_whatCannotBe_isRefusedAtOnce() throws Exception {
        Sql.update(database, "update policy_set set revision = 5");
        Sql.update(database,
                "insert into revision (set_id, revision, policies, bytes, raw_bytes, content_sha256, upserts,"
                        + " deletes, has_delta, published_at, process) select " + set.setId()
                        + ", r, 0, 0, 0, sha256(''), 0, 0, false, now(), 'test' from generate_series(3, 5) r");
        fault(FaultKind.CONFLICT, () -> runs.rollback("demo", 5, null, null));
        fault(FaultKind.REVISION_GONE, () -> runs.rollback("demo", 2, null, null));
        fault(FaultKind.NOT_FOUND, () -> runs.rollback("demo", 6, null, null));
        fault(FaultKind.NOT_FOUND, () -> runs.rollback("nothing", 3, null, null));
        RunView run = runs.rollback("demo", 3, "key", "bad data");
        assertThat(run.request()).isEqualTo("{\"rollback\": 3}");
        assertThat(run.reason()).isEqualTo("rollback to revision 3: bad data");
        assertThat(runs.rollback("demo", 3, "key", null).id()).isEqualTo(run.id());
    }

    @Test
    void await_aRunThatIsTakenOver_isThatOfTheLastAttempt() throws Exception {
        refuse(HASH);
        RunView run = runs.approve("demo", HASH, null, null);
        assertThat(runs.await(run, Duration.ofMillis(50)).state()).isEqualTo("queued");
        CompletableFuture<RunView> awaited = CompletableFuture.supplyAsync(() -> {
            try {
                return runs.await(run, Duration.ofSeconds(20));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Sql.update(database,
                "insert into run (job_id, kind, scheduled_at, attempt, state, process, fence, nonce, lease_until,"
                        + " claimed_at) select job_id, 'take-over', scheduled_at, 2, 'running', 'b', 2, gen_random_uuid(),"
                        + " now(), now() from run where run_id = " + run.id());
        end(run, "abandoned");
        Sql.update(database, "update run set state = 'published', lease_until = null, finished_at = now(), revision = 1"
                + " where attempt = 2");
        assertThat(awaited.get(20, TimeUnit.SECONDS).attempt()).isEqualTo(2);
    }

    private void refuse(Sha256 candidate) throws Exception {
        TestLease.claim(database, set.jobId()).record(RunResult.refused("too many", 0, 7, 3, candidate));
    }

    private void end(RunView run, String state) throws Exception {
        Sql.update(database, "update run set state = '" + state + "', finished_at = now() where run_id = " + run.id());
    }

    private static void fault(FaultKind kind, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(Fault.class, f -> assertThat(f.kind()).isEqualTo(kind));
    }
}
