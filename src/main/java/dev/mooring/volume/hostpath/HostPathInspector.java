package dev.mooring.volume.hostpath;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.PathException;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Inspects user paths, following symbolic links as the kubelet does, without hanging: walks local file systems in this
 * process and uses a child process with a deadline for all others. Changes nothing. Thread-safe.
 */
public final class HostPathInspector {
    /** Message of stat for a missing path. */
    private static final String NO_SUCH = "No such file or directory";

    private static final int HEXADECIMAL = 16;

    private final PluginContext context;

    public HostPathInspector(PluginContext pluginContext) {
        this.context = pluginContext;
    }

    /**
     * Returns the worker pool for a path, keyed by its top-level directory: a hanging path delays only paths below the
     * same top-level directory. Uses the path name only.
     */
    public static WorkerPoolKey workerPool(String path) {
        int start = path.startsWith("/") ? 1 : 0;
        int end = path.indexOf('/', start);
        return new WorkerPoolKey("host", path.substring(start, end < 0 ? path.length() : end));
    }

    /**
     * Inspects a path.
     *
     * @param path absolute and normalized
     */
    public ObservedPath inspect(Path path) throws VolumeException, InterruptedException {
        try {
            return new HostPathWalk(context.calls(), context.mounter(), path, Optional.empty()).resolve();
        } catch (HostPathWalk.MayHangException expected) {
            return inspectInChild(path);
        } catch (PathException expected) {
            // For example a directory that can be entered but not listed. stat in a child process may succeed.
            return inspectInChild(path);
        }
    }

    /**
     * Inspects the path of a PersistentVolume. It may be inside another volume, where Pods can create symbolic links
     * and devices; refuses those unless only an administrator can have created them. The result contains no links.
     *
     * @param path absolute and normalized
     */
    public ObservedPath inspectGuarded(Path path, GuardedPathCheck guard) throws VolumeException, InterruptedException {
        Path whole = path;
        try {
            return new HostPathWalk(context.calls(), context.mounter(), path, Optional.of(guard)).resolve();
        } catch (HostPathWalk.MayHangException e) {
            whole = e.whole();
        } catch (PathException expected) {
            // See inspect.
        }
        ObservedPath observed = inspectInChild(whole);
        if (!observed.real().equals(whole)) {
            throw linkRefused(whole, observed.real());
        }
        if (observed.kind().isDevice()) {
            throw deviceRefused(whole, observed.kind());
        }
        return observed;
    }

    static VolumeException linkRefused(Path link, Path target) {
        return VolumeException.clean(
                "Refused",
                link + " is, or is reached through, a symbolic link to " + target
                        + ". Links that a Pod could have created are not followed in the path of a PersistentVolume. If"
                        + " an administrator created this one, set the path without links in the PersistentVolume, or"
                        + " replace the link by a directory and bind it there: mount --bind " + target + ' ' + link);
    }

    static VolumeException deviceRefused(Path path, FileKind kind) {
        return VolumeException.clean(
                "Refused",
                path + " is " + kind + " outside of /dev, which a Pod could have created: set the device's path in /dev"
                        + " in the PersistentVolume");
    }

    private ObservedPath inspectInChild(Path path) throws VolumeException, InterruptedException {
        CommandResult result = run(path, "stat", "--dereference", "--format=%f", "--", path.toString());
        if (result.succeeded()) {
            FileKind kind = FileKind.ofMode(Integer.parseInt(result.output().strip(), HEXADECIMAL));
            return ObservedPath.of(kind, realPathInChild(path), Responsiveness.MAY_HANG);
        }
        if (!result.errorOrOutput().endsWith(NO_SUCH)) {
            throw new VolumeException(
                    VolumeException.FailureState.CLEAN,
                    "Unreadable",
                    "cannot inspect " + path + ": " + result.errorOrOutput(),
                    result.errorOrOutput());
        }
        // A dangling link exists for stat without -L.
        if (run(path, "stat", "--format=%f", "--", path.toString()).succeeded()) {
            return ObservedPath.broken(path, "a symbolic link whose target does not exist");
        }
        return ObservedPath.of(FileKind.MISSING, realPathInChild(path), Responsiveness.MAY_HANG);
    }

    private Path realPathInChild(Path path) throws VolumeException, InterruptedException {
        CommandResult result = run(path, "realpath", "--canonicalize-missing", "--zero", "--", path.toString());
        int end = result.output().indexOf('\0');
        if (!result.succeeded() || end <= 0) {
            throw new VolumeException(
                    VolumeException.FailureState.CLEAN,
                    "Unreadable",
                    "cannot resolve " + path + ": " + result.errorOrOutput(),
                    result.errorOrOutput());
        }
        return Path.of(result.output().substring(0, end));
    }

    private CommandResult run(Path path, String program, String... arguments)
            throws VolumeException, InterruptedException {
        try {
            return context.commands().run(Command.of(context.deadline(), program, arguments));
        } catch (CommandException e) {
            throw failure(e, path, context.deadline());
        }
    }

    /** Translates the failure of a child; inspection leaves nothing behind. */
    static VolumeException failure(CommandException e, Path path, Duration deadline) {
        return switch (e.kind()) {
            case TIMED_OUT ->
                new VolumeException(
                        VolumeException.FailureState.CLEAN,
                        "TooSlow",
                        path + " did not respond within " + deadline.toSeconds()
                                + " s: a file system mounted there or above it may hang; check that its server"
                                + " responds",
                        e.getMessage());
            case MISSING ->
                new VolumeException(
                        VolumeException.FailureState.CLEAN, "ProgramMissing", e.getMessage(), e.getMessage());
            case NOT_STARTED ->
                new VolumeException(VolumeException.FailureState.CLEAN, "NotStarted", e.getMessage(), e.getMessage());
        };
    }
}
