package dev.mooring.volume.emptydir;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;

/**
 * A file next to the volume that says that set-up was completed. An interrupted set-up leaves no marker, and deleting
 * the volume removes the marker first. Not thread-safe.
 */
final class ReadyMarker {
    private static final String FILE = "ready";

    private final PluginContext context;
    private final Path directory;

    ReadyMarker(PluginContext pluginContext, Path directory) {
        this.context = pluginContext;
        this.directory = directory;
    }

    boolean isSet() throws VolumeException {
        try (OpenDirectory at = OpenDirectory.open(context.calls(), directory)) {
            return at.status(FILE).isPresent();
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw failure(e);
        }
    }

    void set() throws VolumeException {
        context.mounter().makeDirectory(directory);
        try (OpenDirectory at = OpenDirectory.open(context.calls(), directory)) {
            at.createFile(FILE).close();
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw failure(e);
            }
        }
    }

    void clear() throws VolumeException {
        try (OpenDirectory at = OpenDirectory.open(context.calls(), directory)) {
            at.removeFile(FILE);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw failure(e);
            }
        }
    }

    /** Removes the marker's directory; the marker must have been cleared. */
    void removeDirectory() throws VolumeException {
        context.mounter().removeDirectory(directory);
    }

    private static VolumeException failure(PathException e) {
        return VolumeException.uncertain("MarkerFailed", "cannot store the state: " + e.getMessage(), "");
    }
}
