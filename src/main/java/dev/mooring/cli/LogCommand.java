package dev.mooring.cli;

import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring log}: looks at the log's files, whether a server is using them or not. */
@Command(
        name = "log",
        description = "Look at the event log. Works on the files, read-only, also while a server runs on them.",
        synopsisSubcommandLabel = "COMMAND")
final class LogCommand implements Runnable {
    /** Below the data directory. */
    static final String DIRECTORY = "log";

    @Spec
    private CommandSpec spec;

    /** The option all sub-commands share. */
    static final class Source {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                defaultValue = "${env:MOORING_DATA:-var}",
                description = "The server's data directory (MOORING_DATA, else var).")
        private Path data;

        /** @throws MooringException if there is no log */
        LogInspector inspector() {
            if (!Files.isDirectory(directory())) {
                throw new MooringException(
                        ExitCode.NOT_FOUND,
                        "Expected a log in " + directory()
                                + ", but there is none; next: name the server's data directory" + " with --data");
            }
            return new LogInspector(new RealDisk(), directory());
        }

        Path directory() {
            return data.resolve(DIRECTORY);
        }

        static long bytes(LogInspector inspector) throws IOException {
            return inspector.segments().stream()
                    .mapToLong(LogInspector.SegmentInfo::bytes)
                    .sum();
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Expected one of stat, verify, cat, export, but got none");
    }
}
