package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.GetCommand.ObjectArguments;
import dev.mooring.cli.ObjectNames.NamedObjects;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Terminal;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring explain}: prints why an object is in its state, down to the cause, and what a user can do. */
@Command(
        name = "explain",
        description = "Explain why an object is in its state, now or at a past moment, and what to do.",
        footer = {
            "",
            "  mooring explain pvc/data -n shop",
            "  mooring explain pod web --at 10m",
            "  mooring explain pv/pv1 -o yaml"
        })
final class ExplainCommand implements Callable<Integer> {
    enum ExplainOutput {
        text,
        json,
        yaml
    }

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Mixin
    private ObjectArguments target;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private ExplainOutput output;

    ExplainCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        NamedObjects named = target.named(environment);
        if (named.name().isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing name after the type; expected TYPE/NAME");
        }
        ObjectNode explanation = new ObjectReader(
                        ServerOption.client(server.access(environment.environment())), target.at())
                .explanation(named);
        environment
                .out()
                .print(
                        switch (output) {
                            case json -> explanation.toPrettyString() + '\n';
                            case yaml -> ObjectReader.yaml(explanation);
                            case text -> new ExplanationText(width(), hasColor()).of(explanation);
                        });
        return ExitCode.OK.number();
    }

    /** Returns the width of the terminal; lines of other outputs are not wrapped. */
    private int width() {
        return Terminal.stdoutIsTerminal() ? spec.usageMessage().autoWidth(true).width() : Integer.MAX_VALUE;
    }

    private boolean hasColor() {
        return Terminal.stdoutIsTerminal() && Terminal.environmentAllowsColor(environment.environment());
    }
}
