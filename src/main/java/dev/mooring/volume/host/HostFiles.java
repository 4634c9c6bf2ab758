package dev.mooring.volume.host;

import dev.mooring.volume.Lane;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Looks at paths that users name, following symbolic links as the kubelet does, without ever hanging: what this process may touch it
 * walks itself, anything else a child process with a deadline looks at. Changes nothing. Any thread.
 */
public final class HostFiles {
    /** What stat says of a path that is not there. */
    private static final String NO_SUCH = "No such file or directory";

    private static final int HEXADECIMAL = 16;

    private final PluginParts parts;

    public HostFiles(PluginParts parts) {
        this.parts = parts;
    }

    /**
     * So that a path on a dead server keeps others waiting only if they are below the same topmost directory, by which mounts of servers
     * are usually told apart. Goes by the words of the path alone.
     */
    public static Lane lane(String path) {
        int start = path.startsWith("/") ? 1 : 0;
        int end = path.indexOf('/', start);
        return new Lane("host", path.substring(start, end < 0 ? path.length() : end));
    }

    /** @param path absolute and normalized */
    public Sight look(Path path) throws VolumeException, InterruptedException {
        try {
            return new Walk(parts.calls(), parts.mounter(), path).go();
        } catch (Walk.MayHangException expected) {
            return lookFromAfar(path);
        } catch (PathException expected) {
            // Such as a directory that may be entered but not listed. Another program may ask in other ways.
            return lookFromAfar(path);
        }
    }

    private Sight lookFromAfar(Path path) throws VolumeException, InterruptedException {
        CommandResult result = run(path, "stat", "--dereference", "--format=%f", "--", path.toString());
        if (result.succeeded()) {
            FileKind kind = FileKind.ofMode(Integer.parseInt(result.output().strip(), HEXADECIMAL));
            return Sight.of(kind, realFromAfar(path), Answers.PERHAPS_NEVER);
        }
        if (!result.words().endsWith(NO_SUCH)) {
            throw new VolumeException(
                    VolumeException.Left.NOTHING,
                    "Unreadable",
                    "cannot look at " + path + ": " + result.words(),
                    result.words());
        }
        // A link to nothing is there for a look that follows none.
        if (run(path, "stat", "--format=%f", "--", path.toString()).succeeded()) {
            return Sight.broken(path, "a symbolic link to a place where nothing is");
        }
        return Sight.of(FileKind.MISSING, realFromAfar(path), Answers.PERHAPS_NEVER);
    }

    private Path realFromAfar(Path path) throws VolumeException, InterruptedException {
        CommandResult result = run(path, "realpath", "--canonicalize-missing", "--zero", "--", path.toString());
        int end = result.output().indexOf('\0');
        if (!result.succeeded() || end <= 0) {
            throw new VolumeException(
                    VolumeException.Left.NOTHING,
                    "Unreadable",
                    "cannot tell where " + path + " leads to: " + result.words(),
                    result.words());
        }
        return Path.of(result.output().substring(0, end));
    }

    private CommandResult run(Path path, String program, String... arguments)
            throws VolumeException, InterruptedException {
        try {
            return parts.commands().run(Command.of(parts.deadline(), program, arguments));
        } catch (CommandException e) {
            throw failure(e, path, parts.deadline());
        }
    }

    /** Nothing is left behind by looking. */
    static VolumeException failure(CommandException e, Path path, Duration deadline) {
        return switch (e.kind()) {
            case TOO_SLOW ->
                new VolumeException(
                        VolumeException.Left.NOTHING,
                        "TooSlow",
                        path + " did not answer within " + deadline.toSeconds()
                                + " s: what is mounted there, or on the way to it, may hang; see that its server"
                                + " answers",
                        e.getMessage());
            case MISSING ->
                new VolumeException(VolumeException.Left.NOTHING, "ProgramMissing", e.getMessage(), e.getMessage());
            case NOT_STARTED ->
                new VolumeException(VolumeException.Left.NOTHING, "NotStarted", e.getMessage(), e.getMessage());
        };
    }
}
