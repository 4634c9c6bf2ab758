package dev.mooring.node.reconcile;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What this machine has, whatever the log says of it.
 *
 * @param mounts as the kernel tells
 * @param volumes the directories (or devices) of Pods' volumes below the own root
 * @param shared the directories below the own root on which volumes are mounted for all Pods
 * @param backing the loop devices and the files behind them
 */
public record Machine(MountTable mounts, List<Found> volumes, List<Shared> shared, Map<String, Path> backing) {
    /** One on which nothing is mounted for all Pods. */
    public Machine(MountTable mounts, List<Found> volumes, Map<String, Path> backing) {
        this(mounts, volumes, List.of(), backing);
    }

    /**
     * A Pod's volume on the disk.
     *
     * @param name as its directory is called
     */
    public record Found(String podUid, String plugin, String name, Path path) {}

    /**
     * A place for all Pods on the disk, whether or not something is mounted there.
     *
     * @param name of the PersistentVolume
     */
    public record Shared(String plugin, String name, Path path) {}

    /** Looks at the machine. Blocks, but touches nothing that may be mounted. */
    public interface Look {
        Machine take() throws VolumeException;
    }
}
