package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.bellwether.database.Database;
import io.bellwether.policy.GzipMember;
import io.bellwether.policy.SegmentRef;
import io.bellwether.policy.Sha256;
import io.bellwether.testing.TestPostgres;

class SegmentPressTest {
    /** More memory than may be under way, by far. */
    private static final int CHUNKS = 1_500;
    private static final int LARGEST = 120_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Random random = new Random(4);
    private final Pace pace = new Pace(() -> true);
    private final Database database = TestPostgres.open(TestPostgres.freshDatabase());

    @AfterEach
    void stop() {
        database.stop(LIMIT);
    }

    @Test
    void press_manyChunksInMemoryThatOthersHad_storesEachAsItWas() throws Exception {
        List<byte[]> lines = new ArrayList<>();
        List<Future<SegmentRef>> pressed = new ArrayList<>();

        try (SegmentPress press = press()) {
            for (int i = 0; i < CHUNKS; i++) {
                byte[] content = content(i);
                lines.add(content);
                Chunk chunk = press.chunk(key(i));
                chunk.write(content, 0, content.length);
                chunk.countLine();
                pressed.add(press.press(chunk));
            }
            List<SegmentRef> segments = press.await(pressed);

            assertThat(press.pressed()).isEqualTo(CHUNKS);
            for (int i = 0; i < CHUNKS; i++) {
                SegmentRef segment = segments.get(i);
                assertThat(segment.firstKey()).isEqualTo(key(i));
                assertThat(segment.rawSha256()).isEqualTo(Sha256.of(lines.get(i)));
                assertThat(GzipMember.expand(stored(segment), lines.get(i).length)).as("chunk %d", i)
                        .isEqualTo(lines.get(i));
            }
        }
    }

    @Test
    void press_databaseThatRefuses_failsInsteadOfWaitingForRoom() throws Exception {
        database.<Boolean, SQLException>inTransaction("refuse", LIMIT, connection -> connection.createStatement()
                .execute("alter table segment add constraint none check (false) not valid"));

        try (SegmentPress press = press()) {
            assertThatThrownBy(() -> {
                for (int i = 0; i < CHUNKS; i++) {
                    Chunk chunk = press.chunk(key(i));
                    chunk.writeBytes(content(i));
                    press.press(chunk);
                }
            }).isInstanceOf(SQLException.class).hasMessageContaining("a segment could not be stored");
        }
    }

    private SegmentPress press() {
        return new SegmentPress(new SegmentStore(database), () -> pace.steps(() -> false));
    }

    private byte[] content(int i) {
        byte[] content = new byte[random.nextInt(100, i % 50 == 0 ? 2_000_000 : LARGEST)];
        random.nextBytes(content);
        return content;
    }

    private static byte[] key(int i) {
        return String.format("key-%06d", i).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] stored(SegmentRef segment) throws SQLException {
        return database.<byte[], SQLException>inTransaction("look", LIMIT, connection -> {
            try (PreparedStatement query = connection
                    .prepareStatement("select content from segment where sha256 = ?")) {
                query.setBytes(1, segment.sha256().bytes());
                try (ResultSet row = query.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    return Objects.requireNonNull(row.getBytes(1));
                }
            }
        });
    }
}
