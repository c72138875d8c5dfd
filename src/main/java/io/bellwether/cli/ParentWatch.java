package io.bellwether.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Ends a process when the one that started it is gone: for {@code serve} under {@code up}, which holds the other end of its
 * standard input. The pipe ends however the owner ended, also by SIGKILL.
 */
final class ParentWatch {
    private ParentWatch() {}

    /**
     * Reads {@code input} to its end on a thread of its own, then runs {@code gone} there.
     *
     * @param input what comes on it is ignored
     * @param gone what to do; usually to exit, which runs the stop in order
     */
    static void start(InputStream input, Runnable gone) {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            try {
                input.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // a pipe that broke has ended as well
            }
            gone.run();
        });
    }
}
