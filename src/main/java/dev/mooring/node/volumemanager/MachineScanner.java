package dev.mooring.node.volumemanager;

import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
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
 * Scans this machine by names only: the mount table, the loop devices, and names in Mooring's directories. Does not
 * access the named paths, because a mount may hang. Stateless; blocks.
 */
public final class MachineScanner implements ObservedMachine.Observer {
    private static final Path BLOCK_DEVICES = Path.of("/sys/block");
    private static final String DELETED = " (deleted)";

    private final NodeLayout layout;
    private final Mounter mounter;

    public MachineScanner(NodeLayout layout, Mounter mounter) {
        this.layout = layout;
        this.mounter = mounter;
    }

    @Override
    public ObservedMachine observe() throws VolumeException {
        try {
            return new ObservedMachine(mounter.table(), volumes(), globalMounts(), loopDevices());
        } catch (IOException e) {
            throw VolumeException.uncertain("LookFailed", "Failed to scan " + layout.root() + ": " + e, e.toString());
        }
    }

    private List<ObservedMachine.FoundVolume> volumes() throws IOException {
        List<ObservedMachine.FoundVolume> found = new ArrayList<>();
        for (Path pod : directories(layout.pods())) {
            for (String kind : List.of("volumes", "volumeDevices")) {
                for (Path plugin : names(pod.resolve(kind))) {
                    for (Path volume : names(plugin)) {
                        found.add(new ObservedMachine.FoundVolume(
                                text(pod), NodeLayout.unescaped(text(plugin)), text(volume), volume));
                    }
                }
            }
        }
        return found;
    }

    /** Scans {@code plugins/kubernetes.io/csi/mounts/<name>}: a plugin's name has two parts. */
    private List<ObservedMachine.FoundGlobalMount> globalMounts() throws IOException {
        List<ObservedMachine.FoundGlobalMount> found = new ArrayList<>();
        for (Path vendor : names(layout.root().resolve("plugins"))) {
            for (Path plugin : directories(vendor)) {
                for (Path volume : names(plugin.resolve("mounts"))) {
                    found.add(new ObservedMachine.FoundGlobalMount(
                            text(vendor) + '/' + text(plugin), text(volume), volume));
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

    /**
     * Returns the backing file; empty if there is none or its name is not valid in Java. Mooring's own names are plain,
     * and foreign names must not prevent a start.
     */
    private static Optional<Path> backing(Path backingFile) {
        try {
            String file = Files.readString(backingFile).strip();
            return Optional.of(
                    Path.of(file.endsWith(DELETED) ? file.substring(0, file.length() - DELETED.length()) : file));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** Returns the subdirectories, without symbolic links. */
    private static List<Path> directories(Path directory) throws IOException {
        List<Path> found = names(directory);
        found.removeIf(each -> !Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS));
        return found;
    }

    /** Lists a directory; all its parents are local directories of Mooring. */
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
