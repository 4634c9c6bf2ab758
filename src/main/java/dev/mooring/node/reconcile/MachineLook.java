package dev.mooring.node.reconcile;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks at this machine by names only: the mount table, the loop devices, and the names in Mooring's own directories. What the names stand for
 * may be mounted and hang, so it is not touched. Stateless; blocks.
 */
public final class MachineLook implements Machine.Look {
    private static final Path BLOCK_DEVICES = Path.of("/sys/block");
    private static final String DELETED = " (deleted)";

    private final NodeLayout layout;
    private final Mounter mounter;

    public MachineLook(NodeLayout layout, Mounter mounter) {
        this.layout = layout;
        this.mounter = mounter;
    }

    @Override
    public Machine take() throws VolumeException {
        try {
            return new Machine(mounter.table(), volumes(), shared(), loopDevices());
        } catch (IOException e) {
            throw VolumeException.uncertain(
                    "LookFailed", "Expected to look through " + layout.root() + ", but " + e, e.toString());
        }
    }

    private List<Machine.Found> volumes() throws IOException {
        List<Machine.Found> found = new ArrayList<>();
        for (Path pod : directories(layout.pods())) {
            for (String kind : List.of("volumes", "volumeDevices")) {
                for (Path plugin : names(pod.resolve(kind))) {
                    for (Path volume : names(plugin)) {
                        found.add(
                                new Machine.Found(text(pod), NodeLayout.unescaped(text(plugin)), text(volume), volume));
                    }
                }
            }
        }
        return found;
    }

    /** {@code plugins/kubernetes.io/csi/mounts/<name>}: a plugin's name has two parts. */
    private List<Machine.Shared> shared() throws IOException {
        List<Machine.Shared> found = new ArrayList<>();
        for (Path vendor : names(layout.root().resolve("plugins"))) {
            for (Path plugin : directories(vendor)) {
                for (Path volume : names(plugin.resolve("mounts"))) {
                    found.add(new Machine.Shared(text(vendor) + '/' + text(plugin), text(volume), volume));
                }
            }
        }
        return found;
    }

    private static Map<String, Path> loopDevices() throws IOException {
        Map<String, Path> devices = new HashMap<>();
        for (Path each : names(BLOCK_DEVICES)) {
            if (text(each).startsWith("loop")) {
                backing(each.resolve("loop").resolve("backing_file"))
                        .ifPresent(file -> devices.put("/dev/" + text(each), file));
            }
        }
        return devices;
    }

    /** Nothing if there is none, or one whose name Java cannot read: Mooring's own are plain, and others' must not keep it from starting. */
    private static Optional<Path> backing(Path told) {
        try {
            String file = Files.readString(told).strip();
            return Optional.of(
                    Path.of(file.endsWith(DELETED) ? file.substring(0, file.length() - DELETED.length()) : file));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** Those that are links lead elsewhere, whatever is in them. */
    private static List<Path> directories(Path directory) throws IOException {
        List<Path> found = names(directory);
        found.removeIf(each -> !Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS));
        return found;
    }

    /** All directories above are our own and local. */
    private static List<Path> names(Path directory) throws IOException {
        List<Path> names = new ArrayList<>();
        if (!directory.startsWith("/sys") && !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return names;
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(names::add);
        }
        return names;
    }

    private static String text(Path path) {
        return String.valueOf(path.getFileName());
    }
}
