package dev.mooring.node.container;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Files into which containers write their last words: {@code pods/<uid>/containers/<name>/<attempt>}. A container is given the file alone, so
 * it can change what is in it and nothing else. Blocks on the own disk only; any thread, but never two for one container.
 */
final class TerminationLog {
    static final String DEFAULT_PATH = "/dev/termination-log";

    private static final int LIMIT = 4096;
    private static final int FOR_EVERYBODY = 0666;

    /** Engines keep the last two attempts; so nobody asks for what an earlier one has said. */
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

    /** Makes it unless it is there. */
    Path make(String podUid, String container, int attempt) throws ConfigException {
        Path file = file(podUid, container, attempt);
        try {
            mounter.makeDirectory(file.getParent());
            try (Directory directory = Directory.open(calls, file.getParent())) {
                try (OpenFile opened = open(directory, file.getFileName().toString())) {
                    opened.setPermissions(FOR_EVERYBODY);
                }
                forget(directory, attempt - KEPT);
            }
        } catch (VolumeException | PathException e) {
            throw ConfigException.create(
                    "cannot make the file for the container's termination message: " + e.getMessage());
        }
        return file;
    }

    /** What is there was made by an attempt that was cut off, or is not ours; then it is refused. */
    private static OpenFile open(Directory directory, String name) throws PathException, ConfigException {
        try {
            return directory.createFile(name);
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw e;
            }
        }
        OpenFile there = directory.openFile(name);
        boolean isFile = false;
        try {
            isFile = there.status().isFile();
        } finally {
            if (!isFile) {
                there.close();
            }
        }
        if (!isFile) {
            throw ConfigException.create(
                    "Expected a file at " + directory.path() + '/' + name + ", but found something else");
        }
        return there;
    }

    private static void forget(Directory directory, int attempt) {
        try {
            directory.removeFile(Integer.toString(attempt));
        } catch (PathException e) {
            // There was none, or it stays until the Pod goes.
        }
    }

    /**
     * The end of it; "" if there is none. It appears in the Pod's status, so nothing but the file that was made is read, whoever bends the
     * way to it: no link is followed, nothing is waited for, and what has another name elsewhere is nobody's last words.
     */
    String read(String podUid, String container, int attempt) {
        Path file = file(podUid, container, attempt);
        try (Directory directory = Directory.open(calls, file.getParent());
                OpenFile opened = directory.openFileToRead(file.getFileName().toString())) {
            if (!opened.status().isFile() || opened.names() != 1) {
                return "";
            }
            return new String(opened.readEnd(LIMIT), StandardCharsets.UTF_8);
        } catch (PathException e) {
            if (e.isMissing() || e.isDiverted()) {
                return "";
            }
            return "Error on reading termination log " + file + ": " + e.getMessage();
        }
    }
}
