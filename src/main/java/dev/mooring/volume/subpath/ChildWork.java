package dev.mooring.volume.subpath;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mooring.volume.process.ChildJvm;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.subpath.SubPathException.Stage;
import dev.mooring.volume.subpath.SubPathJob.End;
import java.time.Duration;

/** Has jobs done by {@link SubPathChild}: the same program and libraries with a small heap, and a deadline. Stateless; any thread. */
final class ChildWork {
    private final CommandRunner runner;
    private final Duration deadline;

    ChildWork(CommandRunner runner, Duration deadline) {
        this.runner = runner;
        this.deadline = deadline;
    }

    End perform(SubPathJob job) throws SubPathException, InterruptedException {
        CommandResult result;
        try {
            result = runner.run(ChildJvm.command(SubPathChild.class, SubPathJson.write(job), deadline));
        } catch (CommandException e) {
            throw e.kind() == CommandException.Kind.TOO_SLOW
                    ? tooSlow(job)
                    : new SubPathException(Stage.PREPARING, "CommandFailed", e.getMessage());
        }
        try {
            return SubPathJson.readEnd(result.output());
        } catch (JsonProcessingException e) {
            throw new SubPathException(
                    Stage.PREPARING,
                    "CommandFailed",
                    "Expected the child process to say how it ended, but it ended with " + result.exit() + ": "
                            + result.words());
        }
    }

    private SubPathException tooSlow(SubPathJob job) {
        return new SubPathException(
                Stage.PREPARING,
                SubPaths.TOO_SLOW,
                "opening subPath \"" + job.subPath() + "\" did not end within " + deadline.toSeconds()
                        + " s: is the server of the volume alive? It is tried again");
    }
}
