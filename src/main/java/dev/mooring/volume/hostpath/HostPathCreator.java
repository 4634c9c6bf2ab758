package dev.mooring.volume.hostpath;

import com.sun.jna.Native;
import dev.mooring.host.FileReference;
import dev.mooring.host.MountScope;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Creates missing directories and empty files for users, with the kubelet's permissions regardless of the umask. Never
 * changes existing files. Uses descriptors, so concurrent renames cannot redirect it; uses a child process for paths
 * that could hang. Thread-safe.
 */
final class HostPathCreator {
    private static final int DIRECTORY_PERMISSIONS = 0755;
    private static final int FILE_PERMISSIONS = 0644;

    /** Directory descriptor for absolute paths ({@code AT_FDCWD}). */
    private static final int NO_DIRECTORY = -100;

    private static final int NEW_FILE = 0100 | 0200 | 02000000;
    private static final int EEXIST = 17;

    private final SystemCalls calls;
    private final IsolatedPathOperations isolated;

    HostPathCreator(PluginContext context) {
        this.calls = context.calls();
        this.isolated = new IsolatedPathOperations(context);
    }

    /** Creates the directory and its parents. */
    void makeDirectory(ObservedPath missing) throws VolumeException, InterruptedException {
        if (missing.responsiveness() == Responsiveness.MAY_HANG) {
            isolated.makeDirectory(missing.real());
        } else {
            makeDirectory(calls, missing.real());
        }
    }

    /** Creates the file in an existing directory. */
    void makeFile(ObservedPath missing) throws VolumeException, InterruptedException {
        if (missing.responsiveness() == Responsiveness.MAY_HANG) {
            isolated.makeFile(missing.real());
        } else {
            makeFile(calls, missing.real());
        }
    }

    /** Creates the directory in this process. */
    static void makeDirectory(SystemCalls calls, Path path) throws VolumeException {
        try {
            makeBelow(calls, path);
        } catch (PathException e) {
            throw VolumeException.clean("NotCreated", "cannot create the directory: " + e.getMessage());
        }
    }

    /** Creates the file in this process. */
    static void makeFile(SystemCalls calls, Path path) throws VolumeException {
        try (OpenDirectory parent = OpenDirectory.open(calls, path.getParent())) {
            String name = path.getFileName().toString();
            int file = calls.openat(NO_DIRECTORY, inside(parent, name), NEW_FILE, FILE_PERMISSIONS);
            if (file < 0 && Native.getLastError() != EEXIST) {
                throw VolumeException.clean(
                        "NotCreated", "cannot create the file " + path + ": error " + Native.getLastError());
            }
            if (file >= 0) {
                setPermissions(calls, file, path);
            }
        } catch (PathException e) {
            throw VolumeException.clean(
                    "NotCreated",
                    e.isMissing()
                            ? "open " + path + ": no such file or directory: " + path.getParent() + " must exist"
                            : "cannot create the file: " + e.getMessage());
        }
    }

    /**
     * Sets the permissions through the descriptor of the created file, because its name may refer to another file by
     * now.
     */
    private static void setPermissions(SystemCalls calls, int file, Path path) throws PathException {
        try {
            if (calls.fchmod(file, FILE_PERMISSIONS) < 0) {
                throw PathException.ofLastError("fchmod", path.toString());
            }
        } finally {
            calls.close(file);
        }
    }

    private static void makeBelow(SystemCalls calls, Path whole) throws PathException {
        Deque<String> missing = new ArrayDeque<>();
        Path existing = whole;
        FileReference at = null;
        while (at == null) {
            try {
                at = FileReference.open(calls, existing);
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
                try (FileReference above = at) {
                    at = makeIn(above, name);
                }
            }
        } finally {
            at.close();
        }
    }

    private static FileReference makeIn(FileReference above, String name) throws PathException {
        try {
            // Created with the final permissions, so that a crash leaves no wrong ones.
            above.makeDirectory(name, DIRECTORY_PERMISSIONS);
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw e;
            }
            return above.child(name, MountScope.SAME_MOUNT);
        }
        FileReference made = above.child(name, MountScope.SAME_MOUNT);
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

    private static byte[] inside(OpenDirectory directory, String name) {
        byte[] bytes = (directory.procPath() + "/" + name).getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }
}
