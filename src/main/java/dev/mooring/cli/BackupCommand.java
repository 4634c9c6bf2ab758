package dev.mooring.cli;

import dev.mooring.server.Backup;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mooring backup FILE}: saves a data directory without the data of volumes. */
@Command(
        name = "backup",
        description = "Save the event log, certificates and tokens in a file. The server may run.",
        footer = {
            "",
            "The file contains keys and tokens (mode 0600). It does not contain the data of volumes, the configuration,"
                    + " or the key file of encrypted Secrets."
        })
final class BackupCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    @Parameters(paramLabel = "FILE", description = "File to create; must not exist.")
    private Path file;

    BackupCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        int files = Backup.write(source.data(), file, environment.clock().instant());
        environment.out().println("saved " + files + " files of " + source.data() + " in " + file);
        return ExitCode.OK.number();
    }

    /** {@code mooring restore FILE --data DIR}: restores a backup into an empty directory. */
    @Command(
            name = "restore",
            description = "Restore a backup into a new or empty data directory, after verifying all of it.",
            footer = {"", "Exit code 4 if the directory is not empty, 6 if the backup is damaged."})
    static final class RestoreCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private LogCommand.LogSource target;

        @Parameters(paramLabel = "FILE", description = "File that mooring backup has created.")
        private Path file;

        RestoreCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            int files = Backup.restore(
                    file, target.data(), data -> LogVerifyCommand.verify(target.in(data), environment) == ExitCode.OK);
            environment
                    .out()
                    .println("restored " + files + " files to " + target.data() + "; next: mooring server --data "
                            + target.data());
            return ExitCode.OK.number();
        }
    }
}
