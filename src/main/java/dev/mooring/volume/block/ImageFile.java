package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.OpenFile;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file that holds the data of a block volume. Reached name by name, no link followed; what tells it from any other is its device and
 * inode, whoever renames what meanwhile. Only for local file systems. Any thread.
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

    /** Of a volume's source; the file itself is not looked at. */
    static ImageFile of(SystemCalls calls, JsonNode source) throws VolumeException {
        String text = source.path("csi").path("volumeAttributes").path("image").asText("");
        try {
            Path path = Path.of(text);
            if (path.isAbsolute() && path.normalize().toString().equals(text) && path.getNameCount() > 0) {
                return new ImageFile(calls, path);
            }
        } catch (InvalidPathException expected) {
            // Said below.
        }
        throw VolumeException.clean(
                "InvalidVolume",
                "spec.csi.volumeAttributes.image must be the absolute path of an image file, without \"..\" and links,"
                        + " but it is \"" + text.replace("\0", "\\0") + '"');
    }

    Path path() {
        return path;
    }

    /** As it is now; nothing if it is not there. */
    Optional<FileStatus> status() throws VolumeException {
        try (Directory parent = Directory.open(calls, path.getParent())) {
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

    /** As it is now. */
    FileStatus mustBeThere() throws VolumeException {
        FileStatus status = status().orElseThrow(() -> VolumeException.clean(
                NOT_FOUND, "the image " + path + " does not exist: is its disk mounted? It is tried again by itself"));
        if (status.size() < LoopDevices.SECTOR) {
            throw VolumeException.clean(
                    "NoSize", "the image " + path + " is empty: it has " + status.size() + " bytes");
        }
        return status;
    }

    /** Whether both are the same file. */
    static boolean isSame(FileStatus one, FileStatus other) {
        return one.place().inode() == other.place().inode() && device(one).equals(device(other));
    }

    /** As programs write it. */
    static String device(FileStatus status) {
        return status.place().major() + ":" + status.place().minor();
    }

    /** Kept with the image itself, where its file system has attributes; where not, nothing is remembered. */
    FormatMark mark(FileStatus expected) {
        return new FormatMark() {
            private static final String NAME = "user.mooring.formatting";
            private static final String BEGUN = "begun";

            @Override
            public boolean begun() throws VolumeException {
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
                if (begun()) {
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
        try (Directory parent = Directory.open(calls, path.getParent())) {
            OpenFile image = parent.openFile(name());
            if (!isSame(image.status(), expected)) {
                image.close();
                throw VolumeException.clean(WRONG_TYPE, "somebody has put another file in the place of " + path);
            }
            return image;
        }
    }

    private String name() {
        return path.getFileName().toString();
    }

    private VolumeException failed(PathException e) {
        return e.isDiverted()
                ? new VolumeException(
                        Left.NOTHING,
                        WRONG_TYPE,
                        "the image " + path + " must not be reached through a symbolic link",
                        e.getMessage())
                : new VolumeException(
                        Left.NOTHING,
                        "NotReachable",
                        "the image " + path + " cannot be reached: " + e.getMessage(),
                        e.getMessage());
    }
}
