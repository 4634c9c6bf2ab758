package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.OpenFile;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The image file of a block volume. It is opened one path component at a time without following symbolic links, and
 * identified by device and inode, so renames do not matter. Only for local file systems. Thread-safe.
 */
final class ImageFile {
    static final String NOT_FOUND = "NotFound";
    static final String WRONG_TYPE = "WrongType";

    private final SystemCalls calls;
    private final Path path;

    private ImageFile(SystemCalls calls, Path path) {
        this.calls = calls;
        this.path = path;
    }

    /** Returns the image of a volume source without accessing the file. */
    static ImageFile of(SystemCalls calls, JsonNode source) throws VolumeException {
        String text = source.path("csi").path("volumeAttributes").path("image").asText("");
        try {
            Path path = Path.of(text);
            if (path.isAbsolute() && path.normalize().toString().equals(text) && path.getNameCount() > 0) {
                return new ImageFile(calls, path);
            }
        } catch (InvalidPathException expected) {
            // Reported below.
        }
        throw VolumeException.clean(
                "InvalidVolume",
                "spec.csi.volumeAttributes.image must be the absolute path of an image file, without \"..\" and links,"
                        + " but it is \"" + text.replace("\0", "\\0") + '"');
    }

    Path path() {
        return path;
    }

    /** Returns the current status; empty if the file does not exist. */
    Optional<FileStatus> status() throws VolumeException {
        try (OpenDirectory parent = OpenDirectory.open(calls, path.getParent())) {
            Optional<FileStatus> status = parent.status(name());
            if (status.isPresent() && !status.get().isFile()) {
                throw VolumeException.clean(
                        WRONG_TYPE,
                        "the image " + path + " must be a regular file, but it is a "
                                + status.get().type());
            }
            return status;
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw failed(e);
        }
    }

    /** Returns the current status. */
    FileStatus requireStatus() throws VolumeException {
        FileStatus status = status().orElseThrow(() -> VolumeException.clean(
                NOT_FOUND, "the image " + path + " does not exist: check that its disk is mounted; retrying"));
        if (status.size() < LoopDevices.SECTOR) {
            throw VolumeException.clean(
                    "NoSize", "the image " + path + " is empty: it has " + status.size() + " bytes");
        }
        return status;
    }

    /** Returns whether both are the same file. */
    static boolean isSame(FileStatus one, FileStatus other) {
        return one.location().inode() == other.location().inode() && device(one).equals(device(other));
    }

    /** Returns the device number in the form major:minor that tools print. */
    static String device(FileStatus status) {
        return status.location().major() + ":" + status.location().minor();
    }

    /**
     * Returns a marker stored in an extended attribute of the image; does nothing on file systems without extended
     * attributes.
     */
    FormatMarker formatMarker(FileStatus expected) {
        return new FormatMarker() {
            private static final String NAME = "user.mooring.formatting";
            private static final String BEGUN = "begun";

            @Override
            public boolean isStarted() throws VolumeException {
                try (OpenFile image = open(expected)) {
                    return image.attribute(NAME).filter(BEGUN::equals).isPresent();
                } catch (PathException e) {
                    throw failed(e);
                }
            }

            @Override
            public void begin() throws VolumeException {
                write(BEGUN);
            }

            @Override
            public void end() throws VolumeException {
                if (isStarted()) {
                    write("ended");
                }
            }

            private void write(String value) throws VolumeException {
                try (OpenFile image = open(expected)) {
                    image.setAttribute(NAME, value);
                    image.sync();
                } catch (PathException e) {
                    throw failed(e);
                }
            }
        };
    }

    private OpenFile open(FileStatus expected) throws PathException, VolumeException {
        try (OpenDirectory parent = OpenDirectory.open(calls, path.getParent())) {
            OpenFile image = parent.openFile(name());
            if (!isSame(image.status(), expected)) {
                image.close();
                throw VolumeException.clean(WRONG_TYPE, path + " was replaced by another file");
            }
            return image;
        }
    }

    private String name() {
        return path.getFileName().toString();
    }

    private VolumeException failed(PathException e) {
        return e.isThroughSymlink()
                ? new VolumeException(
                        FailureState.CLEAN,
                        WRONG_TYPE,
                        "the image " + path + " must not be reached through a symbolic link",
                        e.getMessage())
                : new VolumeException(
                        FailureState.CLEAN,
                        "NotReachable",
                        "the image " + path + " cannot be reached: " + e.getMessage(),
                        e.getMessage());
    }
}
