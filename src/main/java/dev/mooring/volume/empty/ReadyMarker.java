package dev.mooring.volume.empty;

import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;

/**
 * A file beside the volume which says that the volume was made to its end: an attempt that died in the middle has left none, and whoever
 * begins to delete the volume takes it away first. For one thread at a time.
 */
final class ReadyMarker {
    private static final String FILE = "ready";

    private final PluginParts parts;
    private final Path directory;

    ReadyMarker(PluginParts parts, Path directory) {
        this.parts = parts;
        this.directory = directory;
    }

    boolean isSet() throws VolumeException {
        try (Directory at = Directory.open(parts.calls(), directory)) {
            return at.status(FILE).isPresent();
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw failure(e);
        }
    }

    void set() throws VolumeException {
        parts.mounter().makeDirectory(directory);
        try (Directory at = Directory.open(parts.calls(), directory)) {
            at.createFile(FILE).close();
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw failure(e);
            }
        }
    }

    void clear() throws VolumeException {
        try (Directory at = Directory.open(parts.calls(), directory)) {
            at.removeFile(FILE);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw failure(e);
            }
        }
    }

    /** The directory that held it; it must be cleared. */
    void forget() throws VolumeException {
        parts.mounter().removeDirectory(directory);
    }

    private static VolumeException failure(PathException e) {
        return VolumeException.uncertain("MarkerFailed", "cannot remember the state: " + e.getMessage(), "");
    }
}
