package io.bellwether.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;

/**
 * What a command sees of the outside.
 *
 * @param in standard input
 * @param bytes standard output, unbuffered, for what is not text; a reader that went away shows as an exception
 * @param out standard output, as UTF-8
 * @param err standard error, as UTF-8
 * @param environment variables by name
 * @param clock the local clock
 */
record Terminal(InputStream in, OutputStream bytes, PrintWriter out, PrintWriter err, Map<String, String> environment,
        InstantSource clock) {

    /** That of this process. */
    static Terminal ofThisProcess() {
        // Not System.out, which swallows the news that whoever read it is gone, and whose encoding is the locale's.
        return of(System.in, new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err),
                System.getenv(), InstantSource.system());
    }

    static Terminal of(InputStream in, OutputStream out, OutputStream err, Map<String, String> environment,
            InstantSource clock) {
        return new Terminal(in, out, writer(out), writer(err), Map.copyOf(environment), clock);
    }

    void flush() {
        out.flush();
        err.flush();
    }

    private static PrintWriter writer(OutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }
}
