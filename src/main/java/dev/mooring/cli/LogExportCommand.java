package dev.mooring.cli;

import dev.mooring.log.Batch;
import dev.mooring.log.LogCopy;
import dev.mooring.log.LogDamagedException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.replay.EventJson;
import dev.mooring.server.DataDirectory;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring log export}: saves the readable events of an intact or damaged log. */
@Command(
        name = "export",
        description = "Save all readable events as JSON lines, or as a new log that a server can start with.",
        footer = {
            "",
            "JSON lines contain all readable events, also after damaged parts. A new log ends before the first damage.",
            "Exit code 6 if not everything could be read."
        })
final class LogExportCommand implements Callable<Integer> {
    /** Segment size of the new log; the server continues with its own. */
    private static final long SEGMENT_BYTES = 64L << 20;

    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    @Option(
            names = "--to-data",
            paramLabel = "DIR",
            description =
                    "Write a new data directory with a log, instead of JSON lines to stdout. It must not hold a log"
                            + " yet.")
    private Path target;

    LogExportCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = target == null
                ? source.inspector()
                : new LogInspector(source.disk(), source.directory(), source.encryption(environment));
        try (ProgressBar progress = new ProgressBar(environment, "export", LogCommand.LogSource.bytes(inspector))) {
            Exporter exporter = new Exporter(progress);
            if (target == null) {
                inspector.walk(1, exporter);
                environment.out().flush();
                environment.err().println("exported " + exporter.events + " events");
                source.reportMissingKeys(inspector, environment);
            } else {
                copy(inspector, exporter);
            }
            return (exporter.damaged ? ExitCode.LOG_DAMAGED : ExitCode.OK).number();
        }
    }

    private void copy(LogInspector inspector, Exporter exporter) throws IOException {
        Path directory = target.resolve(DataDirectory.LOG);
        if (Files.exists(directory)) {
            throw new MooringException(
                    ExitCode.CONFLICT, target + " already contains a log; next: choose another directory");
        }
        if (inspector.segments().get(0).firstRevision() > 1) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "The log does not start with revision 1, because its oldest events were removed; next: copy the"
                            + " whole directory " + source.directory() + ", or export JSON lines without --to-data");
        }
        inspector.requireKeys();
        try (LogCopy copy = LogCopy.into(
                source.disk(), directory, SEGMENT_BYTES, environment.clock(), source.encryption(environment))) {
            exporter.copy = Optional.of(copy);
            inspector.walk(1, exporter);
            environment
                    .err()
                    .println("exported " + copy.lastRevision() + " events to " + target
                            + "; next: mooring server --data " + target);
        }
    }

    /** Prints JSON lines or writes a copy, and reports unreadable events. */
    private final class Exporter implements LogInspector.Visitor {
        private final ProgressBar progress;
        private Optional<LogCopy> copy = Optional.empty();
        private long events;
        private boolean damaged;

        Exporter(ProgressBar progress) {
            this.progress = progress;
        }

        @Override
        public boolean batch(Batch batch, LogPosition end) throws IOException {
            events += batch.events().size();
            if (copy.isPresent()) {
                return copy.get().batch(batch, end);
            }
            batch.events().forEach(event -> environment.out().println(EventJson.encode(event)));
            return !environment.out().checkError();
        }

        @Override
        public void damage(LogDamagedException damage) {
            damaged = true;
            copy.ifPresent(it -> it.damage(damage));
            environment.err().println("mooring: " + damage.getMessage());
        }

        @Override
        public void progress(long bytes) {
            progress.at(bytes);
        }
    }
}
