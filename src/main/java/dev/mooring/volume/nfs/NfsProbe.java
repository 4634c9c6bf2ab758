package dev.mooring.volume.nfs;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.MountHealth.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * Probes the health of a mounted NFS volume in a child process with a deadline, because the probe hangs if the server
 * does. Uses statfs, which the kernel never answers from its cache, unlike stat. Stateless and thread-safe; blocks for
 * at most the deadline and the time to reap a killed child.
 */
public final class NfsProbe {
    public static final Duration DEADLINE = Duration.ofSeconds(5);

    private final CommandRunner commands;
    private final Duration deadline;

    public NfsProbe(CommandRunner commands) {
        this(commands, DEADLINE);
    }

    NfsProbe(CommandRunner commands, Duration deadline) {
        this.commands = Objects.requireNonNull(commands);
        this.deadline = deadline;
    }

    /** Probes the mount at the target; the caller knows from the mount table that it is NFS. */
    public MountHealth probe(Path target) throws InterruptedException {
        Command command = Command.of(deadline, "stat", "-f", "-c", "%T", "--", target.toString());
        try {
            return health(commands.run(command), target);
        } catch (CommandException e) {
            return switch (e.kind()) {
                case TIMED_OUT ->
                    new MountHealth(
                            State.UNREACHABLE,
                            "the server did not respond within " + format(deadline)
                                    + "; programs that use the volume block until it does: check that the server and"
                                    + " the network to it are up",
                            e.getMessage());
                case MISSING, NOT_STARTED ->
                    new MountHealth(
                            State.FAILED, "the volume could not be inspected: " + e.getMessage(), e.getMessage());
            };
        }
    }

    private static MountHealth health(CommandResult result, Path target) {
        String type = result.output().strip();
        if (result.succeeded()) {
            return type.isEmpty() || type.equals("nfs")
                    ? MountHealth.HEALTHY
                    : new MountHealth(
                            State.FAILED,
                            target + " is not an NFS mount, but " + type
                                    + ": the volume was unmounted; it is mounted again",
                            type);
        }
        String raw = result.errorOrOutput();
        String output = raw.toLowerCase(Locale.ROOT);
        if (output.contains("stale")) {
            return new MountHealth(
                    State.STALE,
                    "the file handle is stale: the server no longer knows the directory that was mounted (it was"
                            + " deleted, replaced or is no longer exported, or the server was reinstalled);"
                            + " delete the Pod so that its successor gets a new mount",
                    raw);
        }
        if (isNoResponse(output)) {
            return new MountHealth(
                    State.UNREACHABLE,
                    "the server did not respond in the time the mount options allow: check that the server and the"
                            + " network to it are up",
                    raw);
        }
        if (output.contains("permission denied") || output.contains("operation not permitted")) {
            return new MountHealth(
                    State.FAILED,
                    "the server no longer permits this client: see the server's exports (`exportfs -v`)",
                    raw);
        }
        if (output.contains("input/output error")) {
            return new MountHealth(
                    State.FAILED,
                    "input/output error: either a soft mount gave up waiting for the server, or the server cannot read"
                            + " its own disk; check the server",
                    raw);
        }
        if (output.contains("no such file or directory")) {
            return new MountHealth(State.FAILED, target + " does not exist any more; it is mounted again", raw);
        }
        return new MountHealth(State.FAILED, "the volume returned an error: " + raw, raw);
    }

    /** Returns whether the output is one of the errors of a soft mount that timed out. */
    private static boolean isNoResponse(String output) {
        return output.contains("timed out")
                || output.contains("no route to host")
                || output.contains("network is unreachable")
                || output.contains("host is down")
                || output.contains("connection refused");
    }

    private static String format(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
