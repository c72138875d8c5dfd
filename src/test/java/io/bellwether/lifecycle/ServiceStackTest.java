package io.bellwether.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class ServiceStackTest {
    private final List<String> events = new ArrayList<>();
    private final List<Duration> graces = new ArrayList<>();
    private final ServiceStack stack = new ServiceStack();

    @Test
    void stop_afterStarts_goesInReverseAndOnlyOnce() throws Exception {
        stack.start(service("a", false, false));
        stack.start(service("b", false, false));
        stack.stop(Duration.ofSeconds(1));
        stack.stop(Duration.ofSeconds(1));
        assertThat(events).containsExactly("start a", "start b", "stop b", "stop a");
    }

    @Test
    void stop_whenOneFails_stopsTheOthersToo() throws Exception {
        stack.start(service("a", false, false));
        stack.start(service("b", false, true));
        stack.stop(Duration.ZERO);
        assertThat(events).containsExactly("start a", "start b", "stop b", "stop a");
    }

    // Each service got the whole grace anew, so that together they outlasted the supervisor's patience.
    @Test
    void stop_ofSeveral_sharesTheGraceAmongThem() throws Exception {
        stack.start(service("a", false, false));
        stack.start(service("b", false, false));
        stack.stop(Duration.ofMinutes(1));
        assertThat(graces).hasSize(2).isSortedAccordingTo(java.util.Comparator.reverseOrder()).doesNotHaveDuplicates();
    }

    @Test
    void start_whenItThrows_leavesTheServiceOutAndThoseBelowRunning() throws Exception {
        stack.start(service("a", false, false));
        assertThatThrownBy(() -> stack.start(service("b", true, false))).hasMessage("b cannot start");
        stack.stop(Duration.ZERO);
        assertThat(events).containsExactly("start a", "stop a");
    }

    private Service service(String name, boolean failsToStart, boolean failsToStop) {
        return new Service() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void start() {
                if (failsToStart) {
                    throw new IllegalStateException(name + " cannot start");
                }
                events.add("start " + name);
            }

            @Override
            public void stop(Duration grace) {
                events.add("stop " + name);
                graces.add(grace);
                if (failsToStop) {
                    throw new IllegalStateException(name + " cannot stop");
                }
            }
        };
    }
}
