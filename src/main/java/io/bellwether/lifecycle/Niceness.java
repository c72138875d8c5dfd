package io.bellwether.lifecycle;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a thread stands to others when there are more of them than processors. Thread safe.
 *
 * <p>A refresh of gigabytes keeps every processor busy that it gets, next to threads that need one for some microseconds to
 * answer. Java's own priorities do nothing on Linux unless the JVM is told so, and then warn who is not root. So the nice
 * value of the thread is set: on Linux, unlike what POSIX says, each thread has one (setpriority(2), "C library/kernel
 * differences"), and everybody may raise that of their own.
 */
public final class Niceness {
    private static final Logger log = LoggerFactory.getLogger(Niceness.class);

    /** Of bulk work: about a tenth of a processor when others want all of it, and all of it when nobody does. */
    private static final int BULK = 10;

    private static final int PRIO_PROCESS = 0;
    private static final int CALLING_THREAD = 0;

    private Niceness() {}

    /** Found when it is first needed: a process that never refreshes needs it not. */
    private static final class Native {
        static final Optional<MethodHandle> SETPRIORITY = find();

        @SuppressWarnings("restricted")
        private static Optional<MethodHandle> find() {
            if (!System.getProperty("os.name", "").equals("Linux")) {
                return Optional.empty();
            }
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup().find("setpriority")
                    .map(address -> linker.downcallHandle(address, FunctionDescriptor.of(ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
        }
    }

    /**
     * Lets the calling thread, a platform thread, stand back behind all others for the rest of its life. Does nothing where
     * the operating system has no such thing.
     */
    public static void standBack() {
        try {
            if (Native.SETPRIORITY.isPresent()
                    && (int) Native.SETPRIORITY.get().invokeExact(PRIO_PROCESS, CALLING_THREAD, BULK) != 0) {
                log.debug("the system does not let {} stand back", Thread.currentThread().getName());
            }
        } catch (Throwable t) {
            log.debug("a thread cannot stand back here", t);
        }
    }
}
