package dev.mooring.volume.local;

import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.host.FileKind;
import dev.mooring.volume.host.HostFiles;
import dev.mooring.volume.host.OwnPlaces;
import dev.mooring.volume.host.Sight;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Where the data of a local volume is, looked at: a directory or a block device, nothing else. Any thread. */
final class LocalPath {
    private final HostFiles files;
    private final OwnPlaces own;

    LocalPath(PluginParts parts) {
        this.files = new HostFiles(parts);
        this.own = new OwnPlaces(parts.layout());
    }

    static String text(VolumeSpec volume) {
        return volume.source().path("local").path("path").asText("");
    }

    Sight look(VolumeSpec volume) throws VolumeException, InterruptedException {
        Path path = path(volume);
        Sight sight = files.look(path);
        own.refuse(path, sight.real());
        if (!sight.exists()) {
            String found = sight.kind() == FileKind.BROKEN ? ": found " + sight.words() : "";
            throw VolumeException.clean("NotFound", "path \"" + path + "\" does not exist" + found);
        }
        if (sight.kind() != FileKind.DIRECTORY && sight.kind() != FileKind.BLOCK_DEVICE) {
            throw VolumeException.clean(
                    "WrongType", "only directory and block device are supported: " + path + " is " + sight.words());
        }
        return sight;
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
