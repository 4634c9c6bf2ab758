package dev.mooring.cli;

import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.LogInUseException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.model.PointInTime;
import dev.mooring.replay.VerifiedRewrite;
import dev.mooring.server.CommandFailure;
import dev.mooring.server.DataDirectory;
import dev.mooring.server.EncryptionKeyFile;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code mooring log}: inspects the files of the log, with or without a running server, and rewrites those of a stopped
 * one.
 */
@Command(
        name = "log",
        description = "Inspect the event log, also of a running server; rewrite the log of a stopped one.",
        synopsisSubcommandLabel = "COMMAND")
final class LogCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Parses a time ({@code 2026-01-31T00:00:00Z}) or an age ({@code 30d}, {@code 10m}); empty if it is neither. */
    static Optional<Instant> time(String text, Clock clock) {
        try {
            return PointInTime.parse("time", text, clock.instant()) instanceof PointInTime.AtTime at
                    ? Optional.of(at.time())
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Option of all subcommands. */
    static final class LogSource {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                defaultValue = "${env:MOORING_DATA:-var}",
                description = "The server's data directory (MOORING_DATA, else var).")
        private Path data;

        @Option(
                names = "--key-file",
                paramLabel = "FILE",
                defaultValue = "${env:MOORING_LOG_ENCRYPTION_KEYFILE}",
                description = "Key file of encrypted Secrets (MOORING_LOG_ENCRYPTION_KEYFILE).")
        private String keyFile;

        /** Returns the source of a data directory that another option names. */
        static LogSource of(Path data, String keyFile) {
            LogSource source = new LogSource();
            source.data = data;
            source.keyFile = keyFile;
            return source;
        }

        /** Returns the source of another data directory with the same keys. */
        LogSource in(Path other) {
            return of(other, keyFile);
        }

        /**
         * Returns an inspector; content without a key is replaced by a note.
         *
         * @throws MooringException if there is no log
         */
        LogInspector inspector() throws IOException {
            requireLog();
            return new LogInspector(disk(), directory(), Encryption.allowingMissingKeys(keys()));
        }

        /** Prints which keys were missing, if any. */
        void reportMissingKeys(LogInspector inspector, ProcessEnvironment environment) {
            if (!inspector.missingKeys().isEmpty()) {
                environment
                        .err()
                        .println("mooring: Secrets that are encrypted with " + keyNames(inspector.missingKeys())
                                + " are not shown; next: specify the file with the keys, --key-file FILE");
            }
        }

        static String keyNames(Set<Integer> ids) {
            return (ids.size() == 1 ? "key " : "keys ")
                    + ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
        }

        Disk disk() {
            return new RealDisk();
        }

        /** Returns the keys of the key file; empty if no file was given. */
        List<Encryption.NamedKey> keys() throws IOException {
            boolean none = keyFile == null || keyFile.isBlank() || keyFile.equals("none");
            return none ? List.of() : EncryptionKeyFile.read(Path.of(keyFile));
        }

        /** Encrypts with the first key and decrypts with all; a missing key is an error. */
        Encryption encryption(ProcessEnvironment environment) throws IOException {
            requireLog();
            return Encryption.with(keys(), environment.secureRandom());
        }

        /** A rewrite of the log. */
        @FunctionalInterface
        interface RewriteAction<T> {
            T run(VerifiedRewrite how) throws IOException;
        }

        /** Rewrites the log of a stopped server. */
        <T> T rewrite(ProcessEnvironment environment, String what, Encryption target, RewriteAction<T> rewriting)
                throws IOException {
            Encryption from = encryption(environment);
            if (!EncryptionKeyFile.isOurs(directory())) {
                String owner = Files.getOwner(directory()).getName();
                throw new MooringException(
                        ExitCode.FAILED,
                        directory() + " is owned by user " + owner
                                + ", and the server could not open files of another user; next: run this command as "
                                + owner);
            }
            LogInspector inspector = new LogInspector(disk(), directory(), from);
            try (ProgressBar progress = new ProgressBar(environment, what, bytes(inspector))) {
                return rewriting.run(new VerifiedRewrite(
                        disk(),
                        directory(),
                        environment.clock(),
                        from,
                        target,
                        "os-user:" + System.getProperty("user.name"),
                        progress::at));
            } catch (LogInUseException e) {
                throw new MooringException(
                        ExitCode.CONFLICT,
                        "A server is running on " + data
                                + "; next: stop it (SIGTERM, or systemctl stop mooring), run this again, and start it",
                        e);
            }
        }

        private void requireLog() throws IOException {
            CommandFailure.requireAccess(directory(), AccessMode.READ);
            if (!Files.isDirectory(directory())) {
                throw new MooringException(
                        ExitCode.NOT_FOUND,
                        "No log in " + directory() + "; next: specify the server's data directory with --data");
            }
        }

        Path data() {
            return data;
        }

        Path directory() {
            return data.resolve(DataDirectory.LOG);
        }

        static long bytes(LogInspector inspector) throws IOException {
            return inspector.segments().stream()
                    .mapToLong(LogInspector.SegmentInfo::bytes)
                    .sum();
        }
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing command; expected one of stat, verify, cat, export, purge, reencrypt");
    }
}
