package io.bellwether.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class NicenessTest {
    /** The nice value is the 19th field of a thread's stat (proc_pid_stat(5)); the second one may hold spaces. */
    private static int own() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
    }

    @Test
    void standBack_isOfTheCallingThreadAlone() throws Exception {
        int before = own();
        FutureTask<Integer> standing = new FutureTask<>(() -> {
            Niceness.standBack();
            return own();
        });
        Thread.ofPlatform().start(standing);
        assertThat(standing.get()).isGreaterThanOrEqualTo(10).isGreaterThan(before);
        assertThat(own()).isEqualTo(before);
    }
}
