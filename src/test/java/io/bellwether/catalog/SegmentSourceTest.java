package io.bellwether.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.policy.Sha256;
import io.bellwether.testing.TestPostgres;
import io.bellwether.testing.TestPublisher;
import io.bellwether.testing.TestSets;

class SegmentSourceTest {
    @Test
    void fetchAll_someOfThemUnknown_bringsTheOthersAsTheyAre() throws Exception {
        Database database = TestPostgres.open(TestPostgres.freshDatabase());
        try {
            TestPublisher set = new TestPublisher(database,
                    TestSets.insert(database, "one", TestSets.definition(URI.create("http://127.0.0.1:9/feed"))), 3);
            Map<String, String> policies = new TreeMap<>();
            for (int i = 0; i < 200; i++) {
                policies.put("key-" + i, Integer.toString(i));
            }
            set.publish(policies);
            List<Sha256> names = new ArrayList<>(
                    database.<List<Sha256>, RuntimeException>inTransaction("names", Duration.ofSeconds(5),
                            connection -> {
                                List<Sha256> all = new ArrayList<>();
                                try (var statement = connection.createStatement();
                                        var row = statement.executeQuery("select sha256 from segment")) {
                                    while (row.next()) {
                                        all.add(Sha256.wrap(row.getBytes(1)));
                                    }
                                }
                                return all;
                            }));
            assertThat(names).hasSizeGreaterThan(2);
            Sha256 unknown = Sha256.of(new byte[1]);
            SegmentSource source = SegmentSource.of(database);
            List<Sha256> asked = new ArrayList<>(names);
            asked.add(unknown);
            Map<Sha256, byte[]> found = source.fetchAll(asked);
            assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(names);
            for (Sha256 name : names) {
                assertThat(Sha256.of(Objects.requireNonNull(found.get(name)))).isEqualTo(name);
                assertThat(source.fetch(name)).hasValue(found.get(name));
            }
            assertThat(source.fetch(unknown)).isEmpty();
        } finally {
            database.stop(Duration.ZERO);
        }
    }
}
