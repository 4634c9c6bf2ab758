package dev.mooring.cli;

import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Event;
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
            "Text shows each event on a line, with its objects: + made, ~ changed, - removed.",
            "JSON has the whole objects, Secrets included: the files are for their owner only, and so is this."
        })
final class LogCatCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private LogCommand.Source source;

    @Option(names = "--from", paramLabel = "REVISION", defaultValue = "1", description = "The first revision.")
    private long from;

    @Option(
            names = "--to",
            paramLabel = "REVISION",
            defaultValue = "9223372036854775807",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            description = "The last revision.")
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

    LogCatCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = source.inspector();
        long oldest = inspector.segments().get(0).firstRevision();
        if (from > 1 && from < oldest) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "Expected revision " + from + " to be kept, but the oldest that is kept is " + oldest
                            + "; next: --from " + oldest);
        }
        if (from > to) {
            throw new MooringException(
                    ExitCode.USAGE, "Expected --from to be at most --to, but " + from + " is after " + to);
        }
        try (Progress progress = new Progress(ambient, "cat", LogCommand.Source.bytes(inspector))) {
            inspector.walk(from, new LogInspector.Visitor() {
                @Override
                public boolean batch(Batch batch, LogPosition end) {
                    batch.events().stream().filter(LogCatCommand.this::isWanted).forEach(LogCatCommand.this::print);
                    return batch.lastRevision() < to && !ambient.out().checkError();
                }

                @Override
                public void progress(long bytes) {
                    progress.at(bytes);
                }
            });
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
        PrintStream out = ambient.out();
        out.println(output == OutputFormat.JSON ? EventText.json(event) : EventText.line(event));
    }
}
