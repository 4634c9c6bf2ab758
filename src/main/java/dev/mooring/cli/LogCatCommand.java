package dev.mooring.cli;

import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Event;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring log cat}: prints events. */
@Command(
        name = "cat",
        description = "Print events, oldest first.",
        footer = {
            "",
            "Text output has one line per event, with its objects: + created, ~ changed, - deleted.",
            "JSON output contains the whole objects, including Secrets: treat it as confidential."
        })
final class LogCatCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    @Option(names = "--from", paramLabel = "REVISION", defaultValue = "1", description = "First revision.")
    private long from;

    @Option(
            names = "--to",
            paramLabel = "REVISION",
            defaultValue = "9223372036854775807",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            description = "Last revision.")
    private long to;

    @Option(
            names = "--object",
            paramLabel = "KEY",
            description = "Only events of an object (persistentvolumeclaims/default/data), or of all in a namespace or"
                    + " resource.")
    private String object;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type.")
    private String type;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "text or json (${DEFAULT-VALUE}).")
    private OutputFormat output;

    LogCatCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = source.inspector();
        long oldest = inspector.segments().get(0).firstRevision();
        if (from > 1 && from < oldest) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "Revision " + from + " is no longer in the log; the oldest is " + oldest + "; next: --from "
                            + oldest);
        }
        if (from > to) {
            throw new MooringException(ExitCode.USAGE, "--from must be at most --to, got " + from + " and " + to);
        }
        try (ProgressBar progress = new ProgressBar(environment, "cat", LogCommand.LogSource.bytes(inspector))) {
            inspector.walk(from, new LogInspector.Visitor() {
                @Override
                public boolean batch(Batch batch, LogPosition end) {
                    batch.events().stream().filter(LogCatCommand.this::isWanted).forEach(LogCatCommand.this::print);
                    return batch.lastRevision() < to && !environment.out().checkError();
                }

                @Override
                public void progress(long bytes) {
                    progress.at(bytes);
                }
            });
        }
        if (output == OutputFormat.JSON) {
            source.reportMissingKeys(inspector, environment);
        }
        return ExitCode.OK.number();
    }

    private boolean isWanted(Event event) {
        return event.revision() >= from
                && event.revision() <= to
                && (type == null || event.type().equals(type))
                && (object == null
                        || event.changes().stream()
                                .anyMatch(change -> matches(change.key().text())));
    }

    private boolean matches(String key) {
        return key.equals(object) || key.startsWith(object.endsWith("/") ? object : object + "/");
    }

    private void print(Event event) {
        PrintStream out = environment.out();
        out.println(output == OutputFormat.JSON ? EventFormatter.json(event) : EventFormatter.line(event));
    }
}
