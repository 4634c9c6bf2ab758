package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mooring.host.ChildJvmCommand;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Runs jobs in this process if every file system on the path is local, and in a child process with a deadline if one
 * may hang. The mount table decides, so the paths are not accessed. Stateless and thread-safe.
 */
final class IsolatedFileOperations implements FileOperations {
    private final FileOperations direct;
    private final MountTableSupplier mounts;
    private final CommandRunner runner;
    private final Duration deadline;

    IsolatedFileOperations(FileOperations own, MountTableSupplier mounts, CommandRunner runner, Duration deadline) {
        this.direct = own;
        this.mounts = mounts;
        this.runner = runner;
        this.deadline = deadline;
    }

    @Override
    public Optional<String> perform(DirectoryJob job) throws VolumeWorkException, InterruptedException {
        return mayHang(job) ? inChild(job) : direct.perform(job);
    }

    private boolean mayHang(DirectoryJob job) throws VolumeWorkException {
        try {
            MountTable table = mounts.read();
            return !table.isLocalPath(job.target());
        } catch (IOException e) {
            throw VolumeWorkException.of("read the mount table", e);
        }
    }

    private Optional<String> inChild(DirectoryJob job) throws VolumeWorkException, InterruptedException {
        CommandResult result;
        try {
            result =
                    runner.run(ChildJvmCommand.command(DirectoryJobChild.class, DirectoryJobJson.write(job), deadline));
        } catch (CommandException e) {
            throw e.kind() == CommandException.CommandFailureKind.TIMED_OUT
                    ? tooSlow(job, e)
                    : VolumeWorkException.of(e);
        }
        try {
            return DirectoryJobJson.readResult(result.output());
        } catch (JsonProcessingException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.COMMAND_FAILED,
                    "Child process for " + job.target() + " exited with code " + result.exitCode()
                            + " without a result; see its output; retrying",
                    result.errorOrOutput());
        }
    }

    private VolumeWorkException tooSlow(DirectoryJob job, CommandException e) {
        return new VolumeWorkException(
                VolumeWorkException.TOO_SLOW,
                "Operation on " + job.target() + " timed out after " + deadline.toSeconds()
                        + " s and its process was killed: check that the server of that file system responds; the"
                        + " operation is retried and resumed",
                e.getMessage());
    }
}
