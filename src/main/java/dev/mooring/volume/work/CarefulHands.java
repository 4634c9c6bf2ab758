package dev.mooring.volume.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.process.ChildJvm;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Does jobs in this process where every file system on the way is local, and hands them to a child process with a deadline where one may
 * hang. Which is which is read from the mount table, without touching the paths. Stateless; any thread.
 */
final class CarefulHands implements Hands {
    private final Hands own;
    private final Mounts mounts;
    private final CommandRunner runner;
    private final Duration deadline;

    CarefulHands(Hands own, Mounts mounts, CommandRunner runner, Duration deadline) {
        this.own = own;
        this.mounts = mounts;
        this.runner = runner;
        this.deadline = deadline;
    }

    @Override
    public Optional<String> perform(DirectoryJob job) throws VolumeWorkException, InterruptedException {
        return mayHang(job) ? inChild(job) : own.perform(job);
    }

    private boolean mayHang(DirectoryJob job) throws VolumeWorkException {
        try {
            MountTable table = mounts.read();
            return !table.isLocalAllTheWay(job.target());
        } catch (IOException e) {
            throw VolumeWorkException.of("reading what is mounted", e);
        }
    }

    private Optional<String> inChild(DirectoryJob job) throws VolumeWorkException, InterruptedException {
        CommandResult result;
        try {
            result = runner.run(ChildJvm.command(WorkChild.class, JobJson.write(job), deadline));
        } catch (CommandException e) {
            throw e.kind() == CommandException.Kind.TOO_SLOW ? tooSlow(job, e) : VolumeWorkException.of(e);
        }
        try {
            return JobJson.readEnd(result.output());
        } catch (JsonProcessingException e) {
            throw new VolumeWorkException(
                    VolumeWorkException.COMMAND_FAILED,
                    "Expected the child process that works on " + job.target()
                            + " to say how it ended, but it ended with " + result.exit()
                            + ": look at what it said; it is tried again",
                    result.words());
        }
    }

    private VolumeWorkException tooSlow(DirectoryJob job, CommandException e) {
        return new VolumeWorkException(
                VolumeWorkException.TOO_SLOW,
                "Expected work on " + job.target() + " to end within " + deadline.toSeconds()
                        + " s, but it did not and its process was killed: is the server of that file system alive? It"
                        + " is tried again and goes on where it was",
                e.getMessage());
    }
}
