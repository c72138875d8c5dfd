package io.bellwether.cli;

import io.bellwether.app.ServerProcess;
import io.bellwether.settings.Settings;

/** Entry point of the {@code bellwether} command. */
public final class Main {
    private Main() {}

    /**
     * Runs the command named by {@code args} and exits with its code.
     *
     * @param args the command line, without the program's name
     */
    public static void main(String[] args) {
        // What log lines bear until a server process has a name of its own.
        System.setProperty("bellwether.process", "bellwether");
        Terminal terminal = Terminal.ofThisProcess();
        int code = CommandTree.create(terminal, Main::server).execute(args);
        terminal.flush();
        System.exit(code);
    }

    private static ServeCommand.Server server(Settings settings) throws Exception {
        ServerProcess process = new ServerProcess(settings);
        return new ServeCommand.Server() {
            @Override
            public void start() throws Exception {
                process.start();
            }

            @Override
            public void stop() {
                process.stop();
            }
        };
    }
}
