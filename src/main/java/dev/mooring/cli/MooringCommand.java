package dev.mooring.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code mooring}: the root command with common options. */
@Command(
        name = "mooring",
        description = "Kubernetes persistent volumes for Docker hosts, with full history.",
        mixinStandardHelpOptions = false,
        versionProvider = VersionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "To get started: mooring server",
            "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict, 5 timeout, 6 log damaged"
        })
final class MooringCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Show stack traces of errors.")
    private boolean verbose;

    @SuppressWarnings("unused") // handled by picocli
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    @SuppressWarnings("unused") // handled by picocli
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version.")
    private boolean version;

    static boolean isVerbose(CommandLine line) {
        CommandLine root = line;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        return ((MooringCommand) root.getCommandSpec().userObject()).verbose;
    }

    /** Prints help. Picocli's help command conflicts with an inherited help option. */
    @Command(name = "help", description = "Show the help of a command.")
    void help(
            @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "For example: log cat") String... path) {
        CommandLine line = spec.commandLine();
        for (String name : path == null ? new String[0] : path) {
            CommandLine next = line.getSubcommands().get(name);
            if (next == null) {
                throw new UnmatchedArgumentException(line, List.of(name));
            }
            line = next;
        }
        line.usage(spec.commandLine().getOut());
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
