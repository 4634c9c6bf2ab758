package dev.mooring.cli;

import dev.mooring.log.Batch;
import dev.mooring.log.LogCopy;
import dev.mooring.log.LogDamagedException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.log.RealDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring log export}: saves what is readable, of a good log or a damaged one. */
@Command(
        name = "export",
        description = "Save everything that is readable, as JSON lines or as a new log that a server can start with.",
        footer = {
            "",
            "JSON lines hold all that can be read, also behind a damage. A new log ends before the first damage.",
            "Exit code 6 if not everything could be read."
        })
final class LogExportCommand implements Callable<Integer> {
    /** A new log is written in segments of this size; the server goes on with its own. */
    private static final long SEGMENT_BYTES = 64L << 20;

    private final Ambient ambient;

    @Mixin
    private LogCommand.Source source;

    @Option(
            names = "--to-data",
            paramLabel = "DIR",
            description =
                    "Write a new data directory with a log, instead of JSON lines to stdout. It must not hold a log"
                            + " yet.")
    private Path target;

    LogExportCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = source.inspector();
        try (Progress progress = new Progress(ambient, "export", LogCommand.Source.bytes(inspector))) {
            Exporter exporter = new Exporter(progress);
            if (target == null) {
                inspector.walk(1, exporter);
                ambient.out().flush();
                ambient.err().println("exported " + exporter.events + " events");
            } else {
                copy(inspector, exporter);
            }
            return (exporter.damaged ? ExitCode.LOG_DAMAGED : ExitCode.OK).number();
        }
    }

    private void copy(LogInspector inspector, Exporter exporter) throws IOException {
        Path directory = target.resolve(LogCommand.DIRECTORY);
        if (Files.exists(directory)) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Expected no log in " + target + ", but there is one; next: choose another directory");
        }
        if (inspector.segments().get(0).firstRevision() > 1) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Expected a log that starts with revision 1, but the oldest history was cut off; next: copy the"
                            + " whole directory " + source.directory() + ", or export JSON lines without --to-data");
        }
        try (LogCopy copy = LogCopy.into(new RealDisk(), directory, SEGMENT_BYTES, ambient.clock())) {
            exporter.copy = Optional.of(copy);
            inspector.walk(1, exporter);
            ambient.err()
                    .println("exported " + copy.lastRevision() + " events to " + target
                            + "; next: mooring server --data " + target);
        }
    }

    /** Prints JSON lines or hands on to a copy; says what could not be read. */
    private final class Exporter implements LogInspector.Visitor {
        private final Progress progress;
        private Optional<LogCopy> copy = Optional.empty();
        private long events;
        private boolean damaged;

        Exporter(Progress progress) {
            this.progress = progress;
        }

        @Override
        public boolean batch(Batch batch, LogPosition end) throws IOException {
            events += batch.events().size();
            if (copy.isPresent()) {
                return copy.get().batch(batch, end);
            }
            batch.events().forEach(event -> ambient.out().println(EventText.json(event)));
            return !ambient.out().checkError();
        }

        @Override
        public void damage(LogDamagedException damage) {
            damaged = true;
            copy.ifPresent(it -> it.damage(damage));
            ambient.err().println("mooring: " + damage.getMessage());
        }

        @Override
        public void progress(long bytes) {
            progress.at(bytes);
        }
    }
}
