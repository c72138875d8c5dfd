package io.bellwether.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

import io.bellwether.fault.Fault;

/** All commands, and what becomes of their failures. Stateless. */
final class CommandTree {
    /** The command itself; without one of its own commands it can only explain itself. */
    @Command(name = "bellwether", synopsisSubcommandLabel = "COMMAND", description = {
            "Serves large policy sets from several equal processes; exactly one of them does each scheduled refresh.",
            "Operating commands speak to the admin API at --url with --token."})
    private static final class Root {}

    private CommandTree() {}

    static CommandLine create(Terminal terminal, ServeCommand.Starter starter) {
        CommandLine root = new CommandLine(new Root());
        root.addSubcommand(new ServeCommand(terminal, starter));
        root.addSubcommand(new UpCommand());
        root.addSubcommand(new RollingRestartCommand());
        root.addSubcommand(new StartCacheCommand());
        root.addSubcommand(new ApplyCommand(terminal));
        root.addSubcommand(new SetsCommand(terminal));
        root.addSubcommand(new JobsCommand(terminal));
        root.addSubcommand(new RunsCommand(terminal));
        root.addSubcommand(new RunCommand(terminal));
        root.addSubcommand(new PauseCommand(terminal));
        root.addSubcommand(new ResumeCommand(terminal));
        root.addSubcommand(new ApproveCommand(terminal));
        root.addSubcommand(new RollbackCommand(terminal));
        root.addSubcommand(TokenCommands.create(terminal));
        root.addSubcommand(CronCommands.create(terminal));
        root.addSubcommand(FeedCommands.create(terminal));
        complete(root, terminal);
        return root;
    }

    /** What holds for each of them: help, version, streams, failures. */
    private static void complete(CommandLine command, Terminal terminal) {
        CommandLine.Model.CommandSpec spec = command.getCommandSpec();
        if (!spec.mixinStandardHelpOptions()) {
            spec.mixinStandardHelpOptions(true);
        }
        spec.version("bellwether " + version());
        spec.usageMessage().width(110);
        command.setOut(terminal.out());
        command.setErr(terminal.err());
        command.setParameterExceptionHandler(CommandTree::usage);
        command.setExecutionExceptionHandler((thrown, failed, parsed) -> failed(thrown, failed));
        command.getSubcommands().values().forEach(sub -> complete(sub, terminal));
    }

    private static int usage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        say(command.getErr(), name, firstLine(e.getMessage()) + "; '" + name + " --help' tells more");
        return CommandFailure.USAGE;
    }

    private static int failed(Exception thrown, CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        return switch (thrown) {
            case CommandFailure failure -> {
                failure.line().lines().forEach(line -> say(command.getErr(), name, line));
                yield failure.exitCode();
            }
            case Fault fault -> {
                say(command.getErr(), name, fault.detail());
                yield fault.kind().exitCode();
            }
            case InterruptedException ignored -> {
                Thread.currentThread().interrupt();
                say(command.getErr(), name, "interrupted");
                yield CommandFailure.FAILED;
            }
            // What a closed pipe says (`| head`) is nobody's business.
            case IOException e when "Broken pipe".equals(e.getMessage()) -> CommandFailure.FAILED;
            default -> {
                say(command.getErr(), name, "unexpected error: " + firstLine(thrown.toString()));
                yield CommandFailure.FAILED;
            }
        };
    }

    private static void say(PrintWriter err, String name, String line) {
        err.println(name + ": " + line);
        err.flush();
    }

    private static String firstLine(@Nullable String text) {
        return Objects.requireNonNullElse(text, "unknown").lines().findFirst().orElse("unknown");
    }

    private static String version() {
        return Objects.requireNonNullElse(CommandTree.class.getPackage().getImplementationVersion(), "development");
    }
}
