package io.bellwether.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.bellwether.fault.Fault;
import io.bellwether.lease.RunResult;
import io.bellwether.lease.RunResult.State;
import io.bellwether.policy.Sha256;
import io.bellwether.testing.TestLease;
import io.bellwether.testing.TestSets;

/** What guards refuse, what of it an operator can let through, and what an approval lets through. */
class ApprovalTest {
    @TempDir
    private Path folder;
    private Bench bench;
    private TestSets.Inserted set;

    @BeforeEach
    void publishTenPolicies() throws Exception {
        bench = new Bench(folder);
        set = bench.set("demo");
        bench.feed("demo", lines(0, 10));
        assertThat(bench.run(set).state()).isEqualTo(State.PUBLISHED);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzip(byte[] plain) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        }
        return out.toByteArray();
    }

    static Stream<Arguments> refused() throws Exception {
        byte[] whole = utf8(lines(0, 10));
        byte[] packed = gzip(whole);
        byte[] cutGzip = Arrays.copyOf(packed, packed.length - 9);
        byte[] cutLine = utf8(lines(0, 10).substring(0, lines(0, 10).length() - 5));
        return Stream.of(Arguments.of("an empty array", utf8("[]"), "the feed is empty", true, 10),
                Arguments.of("0 bytes", new byte[0], "the feed is empty", true, 10),
                Arguments.of("blank lines", utf8("\n\n"), "the feed is empty", true, 10),
                Arguments.of("half", utf8(lines(0, 5)), "5 of 10 policies would be deleted", true, 5),
                Arguments.of("half, compressed", gzip(utf8(lines(0, 5))), "5 of 10 policies would be deleted", true, 5),
                Arguments.of("a key twice", utf8(lines(0, 10) + lines(3, 5)), "2 policies have a key that came before",
                        true, 0),
                Arguments.of("HTML", utf8("<!DOCTYPE html><html><body>Sorry</body></html>"), "page", false, 0),
                Arguments.of("cut gzip", cutGzip, "gzip", false, 0),
                Arguments.of("cut NDJSON", cutLine, "line 10", false, 0),
                Arguments.of("cut array", utf8("[{\"key\":\"k0\",\"body\":0},"), "line 1", false, 0),
                Arguments.of("UTF-16", "\ufeff{\"key\":\"a\",\"body\":1}".getBytes(StandardCharsets.UTF_16LE), "",
                        false, 0),
                Arguments.of("NUL in a key", utf8("{\"key\":\"a\\u0000\",\"body\":1}\n"), "line 1", false, 0),
                Arguments.of("half a surrogate pair", utf8("{\"key\":\"\\ud800\",\"body\":1}\n"), "line 1", false,
                        0),
                Arguments.of("bad UTF-8",
                        new byte[]{'{', '"', 'k', 'e', 'y', '"', ':', '"', (byte) 0xff, '"', ',', '"', 'b', 'o', 'd',
                                'y', '"', ':', '1', '}', '\n'},
                        "line 1", false, 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void refused(String what, byte[] feed, String reason, boolean approvable, long deletes) throws Exception {
        Files.write(bench.file("demo"), feed);
        RunResult result = bench.run(set);
        assertThat(result.state()).as(what).isEqualTo(State.REFUSED);
        assertThat(result.reason()).contains(reason);
        assertThat(result.deletes()).isEqualTo(deletes);
        assertThat(bench.head(set)).hasSize(10);
        assertThat(bench.rows(set)).hasSize(10);
        if (!approvable) {
            // There is nothing in it that could be published.
            assertThat(result.candidate()).isNull();
            return;
        }
        Sha256 candidate = Objects.requireNonNull(result.candidate());
        assertThat(bench.number("select count(*) from run where encode(candidate, 'hex') = '" + candidate + "'"))
                .isEqualTo(1);
        if (feed.length == 0 || feed[0] != 0x1f) {
            assertThat(candidate).isEqualTo(Sha256.of(feed));
        }
        assertThat(approve(candidate)).isEqualTo(
                deletes > 0 ? RunResult.published(2, 0, deletes, 10 - deletes) : RunResult.unchanged(10, null));
        assertThat(bench.head(set)).hasSize((int) (10 - deletes));
        assertThat(bench.rows(set)).hasSize((int) (10 - deletes));
    }

    @Test
    void tolerated_byteOrderMarkCarriageReturnsAndBlankLines_publishTheSame() throws Exception {
        bench.feed("demo", "\ufeff" + lines(0, 10).replace("\n", "\r\n\r\n"));
        assertThat(bench.run(set)).isEqualTo(RunResult.unchanged(10, null));
    }

    @Test
    void approve_anotherFeedByThen_isRefusedAndSaysSo() throws Exception {
        bench.feed("demo", lines(0, 5));
        Sha256 five = refusedCandidate();
        bench.feed("demo", lines(0, 4));
        RunResult four = approve(five);
        assertThat(four.state()).isEqualTo(State.REFUSED);
        assertThat(four.reason()).contains("not the approved candidate " + five)
                .contains("needs an approval of its own")
                .contains("6 of 10 policies would be deleted");
        // What is there now can be approved by its own hash.
        assertThat(four.candidate()).isNotNull().isNotEqualTo(five);
        // A feed that the guard lets through is not what was approved either, and needs no approval.
        bench.feed("demo", lines(0, 9));
        RunResult nine = approve(five);
        assertThat(nine.state()).isEqualTo(State.REFUSED);
        assertThat(nine.reason()).contains("the guard lets through");
        assertThat(nine.candidate()).isNull();
        assertThat(bench.head(set)).hasSize(10);
        // Back again, the approval holds.
        bench.feed("demo", lines(0, 5));
        assertThat(approve(five)).isEqualTo(RunResult.published(2, 0, 5, 5));
    }

    @Test
    void approve_sameContentCompressedAnew_isTheCandidate() throws Exception {
        bench.feed("demo", lines(0, 5));
        Sha256 five = refusedCandidate();
        Files.write(bench.file("demo"), gzip(utf8(lines(0, 5))));
        assertThat(approve(five)).isEqualTo(RunResult.published(2, 0, 5, 5));
    }

    @Test
    void approve_duplicates_takesTheLastOfEach() throws Exception {
        bench.feed("demo", lines(0, 10) + Bench.line("k3", "\"again\""));
        assertThat(approve(refusedCandidate())).isEqualTo(RunResult.published(2, 1, 0, 9));
        assertThat(bench.head(set)).hasSize(10).containsEntry("k3", "\"again\"");
    }

    @Test
    void approve_whatTheHeadHoldsAlready_publishesNothing() throws Exception {
        bench.feed("demo", "[]");
        Sha256 nothing = refusedCandidate();
        assertThat(approve(nothing)).isEqualTo(RunResult.published(2, 0, 10, 0));
        assertThat(approve(nothing)).isEqualTo(RunResult.unchanged(0, null));
        // An approval is no licence: the next feed is judged by the guard again.
        bench.feed("demo", lines(0, 10));
        assertThat(bench.run(set)).isEqualTo(RunResult.published(3, 10, 0, 0));
        bench.feed("demo", "[]");
        assertThat(bench.run(set).state()).isEqualTo(State.REFUSED);
    }

    @Test
    void approve_sourceCannotBeHad_fails() throws Exception {
        bench.feed("demo", "[]");
        Sha256 nothing = refusedCandidate();
        Files.delete(bench.file("demo"));
        assertThat(approve(nothing).state()).isEqualTo(State.FAILED);
        assertThat(bench.head(set)).hasSize(10);
    }

    @Test
    void perform_requestThatNobodyKnows_throws() throws Exception {
        TestLease lease = TestLease.claim(bench.database, set.jobId()).asking("{\"nonsense\":1}");
        assertThatThrownBy(() -> bench.run(lease)).isInstanceOf(Fault.class).hasMessageContaining("nonsense");
    }

    private Sha256 refusedCandidate() throws Exception {
        RunResult result = bench.run(set);
        assertThat(result.state()).isEqualTo(State.REFUSED);
        return Objects.requireNonNull(result.candidate());
    }

    private RunResult approve(Sha256 candidate) throws Exception {
        return bench.run(TestLease.claim(bench.database, set.jobId())
                .asking(new RefreshRequest.Approve(candidate).json()));
    }

    private static String lines(int from, int to) {
        StringBuilder lines = new StringBuilder();
        IntStream.range(from, to).forEach(i -> lines.append(Bench.line("k" + i, "" + i)));
        return lines.toString();
    }
}
