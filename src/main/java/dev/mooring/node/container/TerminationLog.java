package dev.mooring.node.container;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Termination message files: {@code pods/<uid>/containers/<name>/<attempt>}. Only the file is mounted into the
 * container, so the container can change nothing else. Blocks on the local disk only; any thread, but never two for one
 * container.
 */
final class TerminationLog {
    static final String DEFAULT_PATH = "/dev/termination-log";

    private static final int LIMIT = 4096;
    private static final int WORLD_WRITABLE = 0666;

    /** Engines keep the last two attempts, so older messages are not needed. */
    private static final int KEPT = 3;

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SystemCalls calls;

    TerminationLog(NodeLayout layout, Mounter mounter, SystemCalls calls) {
        this.layout = layout;
        this.mounter = mounter;
        this.calls = calls;
    }

    Path file(String podUid, String container, int attempt) {
        return layout.pod(podUid).resolve("containers").resolve(container).resolve(Integer.toString(attempt));
    }

    /** Creates the file unless it exists. */
    Path make(String podUid, String container, int attempt) throws ConfigException {
        Path file = file(podUid, container, attempt);
        try {
            mounter.makeDirectory(file.getParent());
            try (OpenDirectory directory = OpenDirectory.open(calls, file.getParent())) {
                try (OpenFile opened = open(directory, file.getFileName().toString())) {
                    opened.setPermissions(WORLD_WRITABLE);
                }
                removeOldAttempt(directory, attempt - KEPT);
            }
        } catch (VolumeException | PathException e) {
            throw ConfigException.createError(
                    "cannot create the file for the container's termination message: " + e.getMessage());
        }
        return file;
    }

    /** Opens the file. An existing one was created by an interrupted attempt; a foreign one is rejected. */
    static OpenFile open(OpenDirectory directory, String name) throws PathException, ConfigException {
        try {
            return directory.createFile(name);
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw e;
            }
        }
        OpenFile existing = directory.openFile(name);
        boolean isFile = false;
        try {
            isFile = existing.status().isFile();
        } finally {
            if (!isFile) {
                existing.close();
            }
        }
        if (!isFile) {
            throw ConfigException.createError(directory.path() + "/" + name + " is not a regular file");
        }
        return existing;
    }

    private static void removeOldAttempt(OpenDirectory directory, int attempt) {
        try {
            directory.removeFile(Integer.toString(attempt));
        } catch (PathException e) {
            // It does not exist, or stays until the Pod is removed.
        }
    }

    /**
     * Returns the end of the message; "" if there is none. The message appears in the Pod's status, so only the created
     * file may be read, even if a container manipulates the path: does not follow symbolic links, does not block, and
     * rejects files with hard links.
     */
    String read(String podUid, String container, int attempt) {
        Path file = file(podUid, container, attempt);
        try (OpenDirectory directory = OpenDirectory.open(calls, file.getParent());
                OpenFile opened = directory.openFileToRead(file.getFileName().toString())) {
            if (!opened.status().isFile() || opened.linkCount() != 1) {
                return "";
            }
            return new String(opened.readEnd(LIMIT), StandardCharsets.UTF_8);
        } catch (PathException e) {
            if (e.isMissing() || e.isThroughSymlink()) {
                return "";
            }
            return "Error on reading termination log " + file + ": " + e.getMessage();
        }
    }
}
