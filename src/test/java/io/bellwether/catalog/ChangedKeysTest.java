package io.bellwether.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangedKeysTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 3_000, 1 << 20, 1 << 30})
    void forEach_anyKeysHoweverLittleFitsIntoMemory_isEachOnceInOrder(long heapBytes) throws Exception {
        Random random = new Random(5);
        TreeSet<byte[]> expected = new TreeSet<>(Arrays::compareUnsigned);
        List<byte[]> seen = new ArrayList<>();
        try (ChangedKeys keys = new ChangedKeys(heapBytes, this::scratch)) {
            for (int i = 0; i < 2_000; i++) {
                byte[] key = new byte[1 + (random.nextInt(20) == 0 ? random.nextInt(512) : random.nextInt(2))];
                random.nextBytes(key);
                expected.add(key);
                keys.add(key);
            }
            keys.forEach(seen::add);
        }
        assertThat(seen).usingElementComparator(Arrays::compareUnsigned).containsExactlyElementsOf(expected);
    }

    @Test
    void forEach_noKeys_isNothing() throws Exception {
        try (ChangedKeys keys = new ChangedKeys(1, this::scratch)) {
            keys.forEach(key -> {
                throw new AssertionError("there is none");
            });
        }
    }

    @Test
    void scratch_ofTheStore_leavesNoFile() throws Exception {
        try (FileChannel file = new SegmentFiles(folder).scratch()) {
            assertThat(file.isOpen()).isTrue();
            try (Stream<Path> all = Files.walk(folder)) {
                assertThat(all.filter(Files::isRegularFile)).isEmpty();
            }
        }
    }

    private FileChannel scratch() throws IOException {
        return FileChannel.open(folder.resolve("scratch"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
