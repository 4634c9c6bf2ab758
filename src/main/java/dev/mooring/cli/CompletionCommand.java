package dev.mooring.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring completion bash|zsh|fish}: prints a shell completion script. */
@Command(
        name = "completion",
        description = {
            "Print a completion script.",
            "",
            "Use it at once with: source <(mooring completion bash), or in fish: mooring completion fish | source"
        })
final class CompletionCommand implements Runnable {
    enum CompletionShell {
        bash,
        zsh,
        fish
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private CompletionShell shell;

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        switch (shell) {
            // One script for both: it enables zsh's emulation of bash.
            case bash, zsh -> out.println(AutoComplete.bash("mooring", root));
            case fish -> fish(root, List.of(), out);
        }
    }

    /**
     * Prints a fish script, for which picocli has no generator: one line per command and option, with the parent
     * commands as condition.
     */
    private static void fish(CommandLine line, List<String> path, PrintWriter out) {
        Stream<String> seen = path.stream().map(each -> "__fish_seen_subcommand_from " + each);
        Stream<String> notYet = line.getSubcommands().isEmpty()
                ? Stream.empty()
                : Stream.of("not __fish_seen_subcommand_from "
                        + String.join(" ", line.getSubcommands().keySet()));
        String when = "complete -c mooring -n "
                + quoted(String.join("; and ", Stream.concat(seen, notYet).toList()));
        line.getSubcommands().forEach((name, sub) -> {
            out.println(when + " -f -a " + quoted(name)
                    + description(sub.getCommandSpec().usageMessage().description()));
            fish(sub, Stream.concat(path.stream(), Stream.of(name)).toList(), out);
        });
        for (OptionSpec option : line.getCommandSpec().options()) {
            String takesValue = option.arity().max() > 0 ? " -r" : "";
            for (String name : option.names()) {
                String flag = name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1);
                out.println(when + flag + takesValue + description(option.description()));
            }
        }
    }

    private static String description(String... lines) {
        return lines.length == 0 ? "" : " -d " + quoted(lines[0]);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
