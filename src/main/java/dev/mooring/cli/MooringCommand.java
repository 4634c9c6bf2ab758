package dev.mooring.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code mooring} itself: nothing but its sub-commands and what is common to them. */
@Command(
        name = "mooring",
        description = "Persistent volumes of Kubernetes for Docker hosts, with a memory.",
        mixinStandardHelpOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Begin with: mooring server",
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

    @SuppressWarnings("unused") // picocli answers it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    static boolean isVerbose(CommandLine line) {
        CommandLine root = line;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        return ((MooringCommand) root.getCommandSpec().userObject()).verbose;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Expected a command, but got none");
    }
}
