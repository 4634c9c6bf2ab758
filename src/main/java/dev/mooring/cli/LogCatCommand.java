package dev.mooring.cli;

import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Event;
import dev.mooring.replay.EventJson;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring log cat}: prints events. */
@Command(
        name = "cat",
        description = "Print events, oldest first.",
        footer = {
            "",
            "Text output has one line per event, with its objects: + created, ~ changed, - deleted.",
            "JSON output contains the whole objects, including Secrets: treat it as confidential.",
            "",
            "  mooring log cat --object pvc/data -n shop",
            "  mooring log cat --since 10m --actor admin",
            "  mooring log cat --tail 20 -f"
        })
final class LogCatCommand implements Callable<Integer> {
    /** How often a closed output is noticed while nothing is written to the log. */
    private static final long OUTPUT_CHECK_SECONDS = 2;

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

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
            names = "--since",
            paramLabel = "TIME|AGE",
            description = "Only events since a time (2026-01-31T00:00:00Z), or of the last 10m, 2h, 7d.")
    private String since;

    @Option(names = "--tail", paramLabel = "N", description = "Only the last N events.")
    private Integer tail;

    @Option(
            names = "--object",
            paramLabel = "TYPE/NAME",
            description = "Only events of an object (pvc/data), or of a type (pvc). Also TYPE/NAMESPACE/NAME.")
    private String object;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of --object (default).")
    private String namespace;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type, such as VolumeMounted.")
    private String type;

    @Option(
            names = "--actor",
            paramLabel = "ACTOR",
            description = "Only events of this actor: a user, a controller, or node/NAME.")
    private String actor;

    @Option(
            names = {"-f", "--follow"},
            description = "Print new events as they are written, until Ctrl-C.")
    private boolean follow;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "text or json (${DEFAULT-VALUE}).")
    private OutputFormat output;

    private Optional<List<String>> prefixes = Optional.empty();
    private Instant earliest = Instant.MIN;
    private EventFormatter.EventTable table;
    private final Deque<Event> newest = new ArrayDeque<>();
    private boolean matched;

    LogCatCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        readOptions();
        LogInspector inspector = source.inspector();
        long oldest = inspector.segments().get(0).firstRevision();
        if (from > 1 && from < oldest) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "Revision " + from + " is no longer in the log; the oldest is " + oldest + "; next: --from "
                            + oldest);
        }
        if (follow) {
            // Registered before the first walk, so that no later write is missed.
            try (WatchService changes = source.directory().getFileSystem().newWatchService()) {
                source.directory()
                        .register(changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
                follow(inspector, printExisting(inspector), changes);
            }
        } else {
            printExisting(inspector);
        }
        if (!matched) {
            environment.err().println("mooring: No event matches");
        }
        if (output == OutputFormat.JSON) {
            source.reportMissingKeys(inspector, environment);
        }
        return ExitCode.OK.number();
    }

    /** Prints the events that are in the log now. Returns the end of the last one. */
    private LogPosition printExisting(LogInspector inspector) throws IOException {
        LogInspector.End end;
        try (ProgressBar progress = new ProgressBar(environment, "cat", LogCommand.LogSource.bytes(inspector))) {
            end = inspector.walk(from, new Printer(progress));
        } finally {
            // Also after damage in the log: the events before it are printed.
            newest.forEach(this::print);
            newest.clear();
            tail = null;
            table.flush();
        }
        return end.position().orElse(LogPosition.BEGINNING);
    }

    private void readOptions() {
        if (from > to) {
            throw new MooringException(ExitCode.USAGE, "--from must be at most --to, got " + from + " and " + to);
        }
        if (tail != null && tail < 1) {
            throw usage("--tail must be at least 1, got " + tail);
        }
        if (since != null) {
            earliest = LogCommand.time(since, environment.clock())
                    .orElseThrow(() -> usage("--since must be a time such as 2026-01-31T00:00:00Z, or an age such as"
                            + " 10m, got \"" + since + "\""));
        }
        ObjectNames names = new ObjectNames(environment.clock());
        table = new EventFormatter.EventTable(names, environment.out());
        if (object != null) {
            try {
                prefixes = Optional.of(names.prefixes(object, namespace));
            } catch (IllegalArgumentException e) {
                throw usage(e.getMessage());
            }
        } else if (namespace != null) {
            throw usage("--namespace needs --object");
        }
    }

    private void follow(LogInspector inspector, LogPosition reached, WatchService changes) throws IOException {
        LogPosition end = reached;
        try {
            while (end.revision() < to && !environment.out().checkError()) {
                WatchKey changed = changes.poll(OUTPUT_CHECK_SECONDS, TimeUnit.SECONDS);
                if (changed != null) {
                    changed.pollEvents();
                    changed.reset();
                    end = inspector.walk(end, new Printer(null)).position().orElse(end);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Prints the wanted events of a walk, or keeps the last ones. */
    private final class Printer implements LogInspector.Visitor {
        private final ProgressBar progress;

        /** @param progress null for none */
        Printer(ProgressBar progress) {
            this.progress = progress;
        }

        @Override
        public boolean batch(Batch batch, LogPosition end) {
            for (Event event : batch.events()) {
                if (isWanted(event)) {
                    take(event);
                }
            }
            return batch.lastRevision() < to && !environment.out().checkError();
        }

        @Override
        public void progress(long bytes) {
            if (progress != null) {
                progress.at(bytes);
            }
        }
    }

    private void take(Event event) {
        if (tail == null) {
            print(event);
            return;
        }
        newest.add(event);
        if (newest.size() > tail) {
            newest.remove();
        }
    }

    private boolean isWanted(Event event) {
        return event.revision() >= from
                && event.revision() <= to
                && !event.time().isBefore(earliest)
                && (type == null || event.type().equals(type))
                && (actor == null || event.actor().equals(actor))
                && (prefixes.isEmpty()
                        || event.changes().stream()
                                .anyMatch(change -> matches(change.key().text())));
    }

    private boolean matches(String key) {
        return prefixes.orElseThrow().stream()
                .anyMatch(prefix -> key.equals(prefix) || (prefix.endsWith("/") && key.startsWith(prefix)));
    }

    private void print(Event event) {
        matched = true;
        if (output == OutputFormat.JSON) {
            environment.out().println(EventJson.encode(event));
        } else {
            table.add(event);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
