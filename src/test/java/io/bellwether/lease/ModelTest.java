package io.bellwether.lease;

import java.util.Random;

import org.junit.jupiter.api.Test;

/**
 * The protocol under random schedules of trouble. {@code -Dbellwether.model.schedules=100000} runs many,
 * {@code -Dbellwether.model.seed=N} runs the one that a failure printed.
 */
class ModelTest {
    private static final int SCHEDULES = Integer.getInteger("bellwether.model.schedules", 400);

    @Test
    void anySchedule_keepsThePromises() {
        Long one = Long.getLong("bellwether.model.seed");
        if (one != null) {
            tell(one);
            return;
        }
        long first = new Random().nextLong();
        for (int i = 0; i < SCHEDULES; i++) {
            tell(first + i);
        }
    }

    private static void tell(long seed) {
        ModelWorld world = new ModelWorld(seed);
        try {
            world.run();
        } catch (Throwable t) {
            throw new AssertionError("-Dbellwether.model.seed=" + seed + "\n" + t + "\n" + world.story(),
                    t);
        }
    }
}
