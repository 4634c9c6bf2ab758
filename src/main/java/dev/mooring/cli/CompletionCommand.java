package dev.mooring.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring completion bash|zsh}. */
@Command(
        name = "completion",
        description = {"Print a completion script.", "", "Use it at once with: source <(mooring completion bash)"})
final class CompletionCommand implements Runnable {
    /** Shells that picocli's script works in. */
    enum Shell {
        bash,
        zsh
    }

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("unused") // picocli refuses what is no Shell
    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    /** One script for both: it turns on zsh's emulation of bash by itself. */
    @Override
    public void run() {
        spec.commandLine()
                .getOut()
                .println(AutoComplete.bash("mooring", spec.root().commandLine()));
    }
}
