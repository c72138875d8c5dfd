package io.bellwether.loadtest.bulk;

/** Why the benchmark cannot go on, in a sentence for the person who started it. */
final class BenchmarkException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BenchmarkException(String message) {
        super(message);
    }

    BenchmarkException(String message, Throwable cause) {
        super(message, cause);
    }
}
