package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

class LineDiffTest {
    private final Map<Sha256, byte[]> stored = new HashMap<>();
    private final List<Sha256> read = new ArrayList<>();

    private byte[] lines(SegmentRef segment) {
        read.add(segment.rawSha256());
        byte[] lines = stored.get(segment.rawSha256());
        assertThat(lines).isNotNull();
        return lines;
    }

    /** Cut where a key's number says so, whatever the rest holds, as segments are. */
    private List<SegmentRef> segments(SortedMap<String, String> content) {
        List<SegmentRef> segments = new ArrayList<>();
        ByteArrayOutputStream open = new ByteArrayOutputStream();
        String first = null;
        int policies = 0;
        for (Map.Entry<String, String> policy : content.entrySet()) {
            if (first != null && Integer.parseInt(policy.getKey()) % 7 == 0) {
                segments.add(segment(first, open, policies));
                open.reset();
                first = null;
                policies = 0;
            }
            first = first == null ? policy.getKey() : first;
            policies++;
            byte[] body = bytes(policy.getValue());
            PolicyLine.append(open, bytes(policy.getKey()), body, 0, body.length);
        }
        if (first != null) {
            segments.add(segment(first, open, policies));
        }
        return segments;
    }

    private SegmentRef segment(String first, ByteArrayOutputStream lines, int policies) {
        byte[] raw = lines.toByteArray();
        Sha256 hash = Sha256.of(raw);
        stored.put(hash, raw);
        return new SegmentRef(bytes(first), hash, hash, raw.length, raw.length, policies);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static SortedMap<String, String> content(Random random) {
        SortedMap<String, String> content = new TreeMap<>();
        for (int i = 100; i < 160; i++) {
            if (random.nextInt(10) > 0) {
                content.put(Integer.toString(i), "{\"n\":" + random.nextInt(30) / 29 + "}");
            }
        }
        return content;
    }

    @Test
    void next_anyTwoContents_leadsFromTheOneToTheOther_inKeyOrder() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed * 7_919L);
            SortedMap<String, String> before = seed % 10 == 0 ? new TreeMap<>() : content(random);
            SortedMap<String, String> after = seed % 10 == 1 ? new TreeMap<>() : content(random);
            SortedMap<String, String> made = new TreeMap<>(before);
            List<String> keys = new ArrayList<>();
            LineDiff<RuntimeException> diff = new LineDiff<>(segments(before), segments(after), this::lines);
            while (diff.next()) {
                PolicyLines line = diff.line();
                String key = new String(line.key(), StandardCharsets.UTF_8);
                keys.add(key);
                String body = new String(diff.raw(), line.bodyOffset(), line.bodyLength(), StandardCharsets.UTF_8);
                if (diff.isDelete()) {
                    assertThat(made.remove(key)).as("seed %d", seed).isEqualTo(body);
                } else {
                    assertThat(diff.isNew()).as("seed %d", seed).isEqualTo(!before.containsKey(key));
                    assertThat(made.put(key, body)).as("seed %d", seed).isNotEqualTo(body);
                }
            }
            assertThat(made).as("seed %d", seed).isEqualTo(after);
            assertThat(keys).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void next_onePolicyChanged_readsNoSegmentThatIsInBoth() {
        SortedMap<String, String> before = content(new Random(1));
        SortedMap<String, String> after = new TreeMap<>(before);
        after.put(after.firstKey(), "{\"n\":\"other\"}");
        List<SegmentRef> from = segments(before);
        List<SegmentRef> to = segments(after);
        LineDiff<RuntimeException> diff = new LineDiff<>(from, to, this::lines);
        int changes = 0;
        while (diff.next()) {
            changes++;
        }
        assertThat(changes).isEqualTo(1);
        Set<Sha256> common = new HashSet<>(from.stream().map(SegmentRef::rawSha256).toList());
        common.retainAll(to.stream().map(SegmentRef::rawSha256).toList());
        assertThat(common).hasSizeGreaterThan(5);
        assertThat(read).doesNotContainAnyElementsOf(common);
    }
}
