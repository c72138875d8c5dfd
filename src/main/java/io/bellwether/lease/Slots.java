package io.bellwether.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * How many runs a process has under way at once: as many as its share of the connection pool carries. Thread safe.
 *
 * <p>A run that hangs after it was given up keeps its thread but not its slot, or a few hung runs would end all others;
 * when as many hang as there are slots, nothing more is begun.
 */
final class Slots {
    private final int size;

    @GuardedBy("this")
    private int taken;

    @GuardedBy("this")
    private int hanging;

    Slots(int size) {
        this.size = size;
    }

    /** Takes one if there is one. */
    synchronized @Nullable Slot tryTake() {
        if (taken >= size || hanging >= size) {
            return null;
        }
        taken++;
        return new Slot();
    }

    synchronized int taken() {
        return taken;
    }

    synchronized int hanging() {
        return hanging;
    }

    /** One of them. */
    final class Slot {
        private boolean hangs;
        private boolean free;

        /** The run was given up; its thread still hangs. */
        void hang() {
            synchronized (Slots.this) {
                if (!free && !hangs) {
                    hangs = true;
                    taken--;
                    hanging++;
                }
            }
        }

        /** The thread is done. */
        void free() {
            synchronized (Slots.this) {
                if (!free) {
                    free = true;
                    if (hangs) {
                        hanging--;
                    } else {
                        taken--;
                    }
                }
            }
        }
    }
}
