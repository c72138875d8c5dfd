package io.bellwether.cli;

/** Entry point of the {@code bellwether} command. */
public final class Main {
    private Main() {}

    /**
     * Runs the command named by {@code args} and exits with its code.
     *
     * @param args the command line, without the program's name
     */
    public static void main(String[] args) {
        System.exit(0);
    }
}
