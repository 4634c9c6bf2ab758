package dev.mooring.volume.local;

import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.hostpath.FileKind;
import dev.mooring.volume.hostpath.GuardedPathCheck;
import dev.mooring.volume.hostpath.HostPathInspector;
import dev.mooring.volume.hostpath.ObservedPath;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Inspects the path of a local volume, which must be a directory or a block device. Thread-safe. */
final class LocalPath {
    private final HostPathInspector inspector;
    private final GuardedPathCheck guardedPaths;

    LocalPath(PluginContext context) {
        this.inspector = new HostPathInspector(context);
        this.guardedPaths = new GuardedPathCheck(context.layout());
    }

    static String text(VolumeSpec volume) {
        return volume.source().path("local").path("path").asText("");
    }

    ObservedPath inspect(VolumeSpec volume) throws VolumeException, InterruptedException {
        Path path = path(volume);
        ObservedPath observed = inspector.inspectGuarded(path, guardedPaths);
        guardedPaths.requireNotGuarded(path, observed.real());
        if (!observed.exists()) {
            String found = observed.kind() == FileKind.BROKEN ? ": found " + observed.description() : "";
            throw VolumeException.clean("NotFound", "path \"" + path + "\" does not exist" + found);
        }
        if (observed.kind() != FileKind.DIRECTORY && observed.kind() != FileKind.BLOCK_DEVICE) {
            throw VolumeException.clean(
                    "WrongType",
                    "only directory and block device are supported: " + path + " is " + observed.description());
        }
        return observed;
    }

    private static Path path(VolumeSpec volume) throws VolumeException {
        String text = text(volume);
        if (text.isEmpty()) {
            throw VolumeException.clean("InvalidPath", "LocalVolume volume \"" + volume.name() + "\" path is empty");
        }
        for (String name : text.split("/", -1)) {
            if (name.equals("..")) {
                throw invalid(text.replace("\0", "\\0"), "must not contain '..'");
            }
        }
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path.normalize();
            }
        } catch (InvalidPathException e) {
            throw invalid(text.replace("\0", "\\0"), e.getReason());
        }
        throw invalid(text, "must be an absolute path");
    }

    private static VolumeException invalid(String text, String why) {
        return VolumeException.clean("InvalidPath", "invalid path: " + text + " " + why);
    }
}
