package dev.mooring.volume.subpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mooring.host.ChildJvmCommand;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;
import dev.mooring.volume.subpath.SubPathJob.SubPathResult;
import java.time.Duration;

/** Runs jobs in a {@link SubPathChild} with a small heap and a deadline. Stateless and thread-safe. */
final class SubPathChildRunner {
    private final CommandRunner runner;
    private final Duration deadline;

    SubPathChildRunner(CommandRunner runner, Duration deadline) {
        this.runner = runner;
        this.deadline = deadline;
    }

    SubPathResult perform(SubPathJob job) throws SubPathException, InterruptedException {
        CommandResult result;
        try {
            result = runner.run(ChildJvmCommand.command(SubPathChild.class, SubPathJson.write(job), deadline));
        } catch (CommandException e) {
            throw e.kind() == CommandException.CommandFailureKind.TIMED_OUT
                    ? tooSlow(job)
                    : new SubPathException(SubPathStage.PREPARING, "CommandFailed", e.getMessage());
        }
        try {
            return SubPathJson.readResult(result.output());
        } catch (JsonProcessingException e) {
            throw new SubPathException(
                    SubPathStage.PREPARING,
                    "CommandFailed",
                    "Child process exited with code " + result.exitCode() + " without a result: "
                            + result.errorOrOutput());
        }
    }

    private SubPathException tooSlow(SubPathJob job) {
        return new SubPathException(
                SubPathStage.PREPARING,
                SubPaths.TOO_SLOW,
                "opening subPath \"" + job.subPath() + "\" timed out after " + deadline.toSeconds()
                        + " s: check that the server of the volume responds; retrying");
    }
}
