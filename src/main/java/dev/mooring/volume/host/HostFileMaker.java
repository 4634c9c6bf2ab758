package dev.mooring.volume.host;

import com.sun.jna.Native;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Makes directories and empty files for users where there is nothing, with exactly the permissions the kubelet gives, whatever the umask.
 * Never changes what is there already. Goes by descriptors, so nobody can bend the way meanwhile; where that could hang, a child process
 * goes. Any thread.
 */
final class HostFileMaker {
    private static final int DIRECTORY_PERMISSIONS = 0755;
    private static final int FILE_PERMISSIONS = 0644;

    /** The path is absolute, so this stands for no directory in particular. */
    private static final int NO_DIRECTORY = -100;

    private static final int NEW_FILE = 0100 | 0200 | 02000000;
    private static final int EEXIST = 17;

    private final PluginParts parts;

    HostFileMaker(PluginParts parts) {
        this.parts = parts;
    }

    /** And those above it. */
    void makeDirectory(Sight missing) throws VolumeException, InterruptedException {
        if (missing.answers() == Answers.PERHAPS_NEVER) {
            run(
                    missing,
                    "install",
                    "--directory",
                    "--mode=0755",
                    "--",
                    missing.real().toString());
            return;
        }
        try {
            makeBelow(missing.real());
        } catch (PathException e) {
            throw VolumeException.clean("NotCreated", "cannot create the directory: " + e.getMessage());
        }
    }

    /** In a directory that must be there. */
    void makeFile(Sight missing) throws VolumeException, InterruptedException {
        Path path = missing.real();
        if (missing.answers() == Answers.PERHAPS_NEVER) {
            run(missing, "dd", "if=/dev/null", "of=" + path, "conv=excl", "status=none");
            run(missing, "chmod", "0644", "--", path.toString());
            return;
        }
        try (Directory parent = Directory.open(parts.calls(), path.getParent())) {
            String name = path.getFileName().toString();
            int file = parts.calls().openat(NO_DIRECTORY, inside(parent, name), NEW_FILE, FILE_PERMISSIONS);
            if (file < 0 && Native.getLastError() != EEXIST) {
                throw VolumeException.clean(
                        "NotCreated", "cannot create the file " + path + ": error " + Native.getLastError());
            }
            if (file >= 0) {
                permit(file, path);
            }
        } catch (PathException e) {
            throw VolumeException.clean(
                    "NotCreated",
                    e.isMissing()
                            ? "open " + path + ": no such file or directory: " + path.getParent() + " must be there"
                            : "cannot create the file: " + e.getMessage());
        }
    }

    /** The very file that was made: another may have its name by now. */
    private void permit(int file, Path path) throws PathException {
        try {
            if (parts.calls().fchmod(file, FILE_PERMISSIONS) < 0) {
                throw PathException.ofLastError("fchmod", path.toString());
            }
        } finally {
            parts.calls().close(file);
        }
    }

    private void makeBelow(Path whole) throws PathException {
        Deque<String> missing = new ArrayDeque<>();
        Path existing = whole;
        Reference at = null;
        while (at == null) {
            try {
                at = Reference.open(parts.calls(), existing);
            } catch (PathException e) {
                if (!e.isMissing()) {
                    throw e;
                }
                missing.addFirst(existing.getFileName().toString());
                existing = existing.getParent();
            }
        }
        try {
            for (String name : missing) {
                try (Reference above = at) {
                    at = makeIn(above, name);
                }
            }
        } finally {
            at.close();
        }
    }

    private static Reference makeIn(Reference above, String name) throws PathException {
        try {
            // With its permissions from the first moment on, so that a crash right after leaves it as it should be.
            above.makeDirectory(name, DIRECTORY_PERMISSIONS);
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw e;
            }
            return above.child(name, Reach.SAME_MOUNT);
        }
        Reference made = above.child(name, Reach.SAME_MOUNT);
        boolean ready = false;
        try {
            made.setPermissions(DIRECTORY_PERMISSIONS);
            ready = true;
            return made;
        } finally {
            if (!ready) {
                made.close();
            }
        }
    }

    private static byte[] inside(Directory directory, String name) {
        byte[] bytes = (directory.handle() + "/" + name).getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    private void run(Sight missing, String program, String... arguments) throws VolumeException, InterruptedException {
        CommandResult result;
        try {
            result = parts.commands().run(Command.of(parts.deadline(), program, arguments));
        } catch (CommandException e) {
            throw HostFiles.failure(e, missing.real(), parts.deadline());
        }
        if (!result.succeeded()) {
            throw new VolumeException(
                    VolumeException.Left.NOTHING,
                    "NotCreated",
                    "cannot create " + missing.real() + ": " + result.words(),
                    result.words());
        }
    }
}
