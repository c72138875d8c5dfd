package io.bellwether.loadtest.bench;

/** Why the benchmark cannot go on, in a sentence for the person who started it. */
public final class BenchmarkException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BenchmarkException(String message) {
        super(message);
    }

    public BenchmarkException(String message, Throwable cause) {
        super(message, cause);
    }
}
