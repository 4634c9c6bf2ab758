package dev.mooring.volume.nfs;

import dev.mooring.volume.nfs.Health.State;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * Finds out whether a mounted NFS volume is alive. The question is put by a child process with a deadline, for it hangs when the server
 * does; and it is one that the kernel cannot answer from what it remembers (statfs, other than stat, always goes to the server).
 * Stateless; any thread; blocks for at most the deadline and the time a killed child takes to go.
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

    /** Asks about what is mounted there; whether that is NFS at all, the caller knows from the mount table. */
    public Health probe(Path target) throws InterruptedException {
        Command command = Command.of(deadline, "stat", "-f", "-c", "%T", "--", target.toString());
        try {
            return health(commands.run(command), target);
        } catch (CommandException e) {
            return switch (e.kind()) {
                case TOO_SLOW ->
                    new Health(
                            State.UNREACHABLE,
                            "the server did not answer within " + words(deadline)
                                    + "; programs that use the volume wait until it does: see whether the server and"
                                    + " the network to it are up",
                            e.getMessage());
                case MISSING, NOT_STARTED ->
                    new Health(State.FAILED, "the volume could not be looked at: " + e.getMessage(), e.getMessage());
            };
        }
    }

    private static Health health(CommandResult result, Path target) {
        String type = result.output().strip();
        if (result.succeeded()) {
            return type.isEmpty() || type.equals("nfs")
                    ? Health.FINE
                    : new Health(
                            State.FAILED,
                            "expected NFS at " + target + ", but found " + type
                                    + ": somebody has unmounted the volume; it is mounted again",
                            type);
        }
        String raw = result.words();
        String said = raw.toLowerCase(Locale.ROOT);
        if (said.contains("stale")) {
            return new Health(
                    State.STALE,
                    "the file handle is stale: the server no longer knows the directory that was mounted (it was"
                            + " deleted, replaced or is no longer exported, or the server was set up anew);"
                            + " delete the Pod so that its successor gets a fresh mount",
                    raw);
        }
        if (isSilence(said)) {
            return new Health(
                    State.UNREACHABLE,
                    "the server did not answer in the time the mount options allow: see whether the server and the"
                            + " network to it are up",
                    raw);
        }
        if (said.contains("permission denied") || said.contains("operation not permitted")) {
            return new Health(
                    State.FAILED,
                    "the server no longer permits this client: see the server's exports (`exportfs -v`)",
                    raw);
        }
        if (said.contains("input/output error")) {
            return new Health(
                    State.FAILED,
                    "input/output error: either a soft mount gave up waiting for the server, or the server cannot read"
                            + " its own disk; see whether the server is well",
                    raw);
        }
        if (said.contains("no such file or directory")) {
            return new Health(State.FAILED, "there is nothing at " + target + " any more; it is mounted again", raw);
        }
        return new Health(State.FAILED, "the volume answers with an error: " + raw, raw);
    }

    /** A soft mount gives up by itself, in one of these ways. */
    private static boolean isSilence(String said) {
        return said.contains("timed out")
                || said.contains("no route to host")
                || said.contains("network is unreachable")
                || said.contains("host is down")
                || said.contains("connection refused");
    }

    private static String words(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
