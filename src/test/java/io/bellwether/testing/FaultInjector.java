package io.bellwether.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.bellwether.fault.Failpoint;
import io.bellwether.fault.FaultInjection;

/**
 * Makes a server process fail where a test wants it. Thread safe; needs the JDK and the package {@code fault} alone.
 *
 * <p>The environment's {@code TEST_FAULTS} names a folder that all processes of a cluster share. A file
 * {@code POINT@job} in it holds what to do; the first thread of any process to reach the point takes it (once: by its
 * rename to {@code POINT@job.taken}), says who it is in {@code POINT@job.reached} (pid and name, a line each), and then:
 *
 * <ul>
 * <li>{@code note}: goes on;
 * <li>{@code kill}: ends the JVM by SIGKILL;
 * <li>{@code stop}: stops the process by SIGSTOP; {@code POINT@job.passed} appears when it went on;
 * <li>{@code hold}: waits until {@code POINT@job.go} appears, 120 s at most, or the thread is interrupted, as it would
 * end a read;
 * <li>{@code hang}: the same, heedless of interrupts;
 * <li>{@code throw CLASS}: throws one, made with a message if its class takes any.
 * </ul>
 *
 * <p>{@code TEST_CLOCK} names a file that holds by how many
 * milliseconds the process's clock is off; it is read again every 20 ms.
 */
public final class FaultInjector implements FaultInjection {
    /** The variable that names the folder. */
    public static final String FOLDER = "TEST_FAULTS";
    /** The variable that names the clock's file. */
    public static final String CLOCK = "TEST_CLOCK";

    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration STEP = Duration.ofMillis(5);
    private static final Duration CLOCK_AGE = Duration.ofMillis(20);

    private static final ReentrantLock STOPPING = new ReentrantLock();

    private final @Nullable Path folder = path(FOLDER);
    private final @Nullable Path clock = path(CLOCK);

    private static @Nullable Path path(String variable) {
        String value = System.getenv(variable);
        return value == null || value.isEmpty() ? null : Path.of(value);
    }

    @Override
    public void reached(Failpoint point, String job) {
        Path where = folder;
        if (where == null) {
            return;
        }
        try {
            String name = point + "@" + job;
            perform(where, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void perform(Path folder, String name) throws IOException {
        Path armed = folder.resolve(name);
        Path taken = folder.resolve(name + ".taken");
        if (!Files.exists(armed)) {
            return;
        }
        try {
            Files.move(armed, taken, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            return; // Another process was first.
        }
        String action = Files.readString(taken).strip();
        String pid = Long.toString(ProcessHandle.current().pid());
        if (action.equals("stop")) {
            stop(folder, name, pid);
        } else {
            tell(folder, name, "reached", pid);
            act(action, folder.resolve(name + ".go"), pid);
        }
    }

    private static void tell(Path folder, String name, String what, String pid) throws IOException {
        Path telling = folder.resolve(name + ".telling");
        Files.writeString(telling, pid + "\n" + System.getProperty("bellwether.process", "?") + "\n");
        Files.move(telling, folder.resolve(name + "." + what), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * One thread of a process at a time: one that says it stops, and is stopped by the other before it did, would stop once
     * more after both were told to go on, for good.
     */
    private static void stop(Path folder, String name, String pid) throws IOException {
        STOPPING.lock();
        try {
            tell(folder, name, "reached", pid);
            signal("STOP", pid);
            tell(folder, name, "passed", pid);
        } finally {
            STOPPING.unlock();
        }
    }

    private static void act(String action, Path go, String pid) throws IOException {
        switch (action) {
            case "note" -> {
                // That it was reached is all.
            }
            case "kill" -> signal("KILL", pid);
            case "hold" -> await(go, true);
            case "hang" -> await(go, false);
            default -> {
                if (!action.startsWith("throw ")) {
                    throw new IllegalStateException("an unknown fault: " + action);
                }
                FaultInjector.<RuntimeException>sneak(make(action.substring("throw ".length()).strip()));
            }
        }
    }

    private static void signal(String signal, String pid) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + signal, pid).inheritIO().start();
        try {
            kill.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(Path go, boolean heedsInterrupts) {
        long end = System.nanoTime() + LONGEST.toNanos();
        boolean interrupted = false;
        while (!Files.exists(go) && System.nanoTime() - end < 0 && !(interrupted && heedsInterrupts)) {
            LockSupport.parkNanos(STEP.toNanos());
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Throwable make(String className) {
        try {
            Class<?> type = Class.forName(className);
            try {
                return (Throwable) type.getConstructor(String.class).newInstance("injected");
            } catch (NoSuchMethodException e) {
                return (Throwable) type.getConstructor().newInstance();
            }
        } catch (ClassNotFoundException | NoSuchMethodException | InstantiationException | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("cannot make a " + className, e);
        }
    }

    /** Throws whatever it is, past the compiler. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void sneak(Throwable any) throws X {
        throw (X) any;
    }

    @Override
    public InstantSource clock(InstantSource real) {
        Path file = clock;
        return file == null ? real : new OffClock(real, file);
    }

    private static final class OffClock implements InstantSource {
        private record Read(long atNanos, long offsetMillis) {}

        private final InstantSource real;
        private final Path file;
        private volatile Read last = new Read(System.nanoTime() - CLOCK_AGE.toNanos(), 0);

        OffClock(InstantSource real, Path file) {
            this.real = real;
            this.file = file;
        }

        @Override
        public Instant instant() {
            Read known = last;
            if (System.nanoTime() - known.atNanos() >= CLOCK_AGE.toNanos()) {
                known = new Read(System.nanoTime(), read(known.offsetMillis()));
                last = known;
            }
            return real.instant().plusMillis(known.offsetMillis());
        }

        private long read(long otherwise) {
            try {
                String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
                return text.isEmpty() ? otherwise : Long.parseLong(text);
            } catch (NoSuchFileException e) {
                return 0;
            } catch (IOException e) {
                return otherwise;
            }
        }
    }
}
