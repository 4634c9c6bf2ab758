package dev.mooring.node.volumemanager;

import dev.mooring.host.MountTable;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The state of the machine, independent of the event log.
 *
 * @param mounts the kernel's mount table
 * @param volumes the directories (or devices) of Pods' volumes below Mooring's root
 * @param globalMounts the global mount directories below Mooring's root
 * @param backing loop devices and their backing files
 */
public record ObservedMachine(
        MountTable mounts, List<FoundVolume> volumes, List<FoundGlobalMount> globalMounts, Map<String, Path> backing) {
    /** Creates a state without global mounts. */
    public ObservedMachine(MountTable mounts, List<FoundVolume> volumes, Map<String, Path> backing) {
        this(mounts, volumes, List.of(), backing);
    }

    /**
     * A Pod's volume on the disk.
     *
     * @param name of its directory
     */
    public record FoundVolume(String podUid, String plugin, String name, Path path) {}

    /**
     * A global mount directory on the disk, whether or not it is mounted.
     *
     * @param name of the PersistentVolume
     */
    public record FoundGlobalMount(String plugin, String name, Path path) {}

    /** Reads the state of the machine. Blocks, but does not access potential mounts. */
    public interface Observer {
        ObservedMachine observe() throws VolumeException;
    }
}
