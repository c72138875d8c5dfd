package io.bellwether.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.sql.Connection;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.lease.LeaseLostException;
import io.bellwether.lease.RunResult;

class TestSetsTest {
    @Test
    void claim_takenOver_isFenced() throws Exception {
        Database database = TestPostgres.open(TestPostgres.freshDatabase());
        try (Connection connection = database.dedicatedConnection("test")) {
            TestSets.Inserted set = TestSets.insert(database, "demo", TestSets.definition(URI.create("file:/tmp/x")));
            TestLease lease = TestLease.claim(database, set.jobId());
            assertThat(lease.job()).isEqualTo("demo");
            lease.adopt(connection);
            lease.fence(connection);
            lease.takeOver();
            assertThatThrownBy(() -> lease.fence(connection)).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(() -> lease.finish(connection, RunResult.unchanged(0, null)))
                    .isInstanceOf(LeaseLostException.class);
            assertThat(lease.state()).isEqualTo("abandoned");
        } finally {
            database.stop(Duration.ZERO);
        }
    }
}
