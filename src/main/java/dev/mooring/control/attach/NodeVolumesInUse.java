package dev.mooring.control.attach;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The volumes that a node has or may have mounted, according to its Node object and its ActualVolumes, as of one World.
 */
final class NodeVolumesInUse {
    /** States in which nothing is mounted unless mounts are listed. Any other state counts as mounted. */
    private static final Set<String> NOT_MOUNTED =
            Set.of("", ActualVolume.ATTACHING, ActualVolume.ATTACHED, ActualVolume.FAILED);

    /** A PersistentVolume that is or may be mounted on a node. */
    record MountedVolume(String volume, String node) {}

    private final World world;
    private final String node;
    private final Set<String> inUse = new HashSet<>();

    /** @param found empty if the Node does not exist */
    NodeVolumesInUse(World world, String node, Optional<Node> found) {
        this.world = world;
        this.node = node;
        // Attachment names identify them even after the volume is deleted.
        found.ifPresent(each -> each.status()
                .path("volumesInUse")
                .forEach(unique -> CsiNames.attachment(unique.asText(""), node).ifPresent(inUse::add)));
    }

    boolean isInUse(Attachment attachment) {
        return isInUse(attachment.key().name(), attachment.volume());
    }

    boolean isInUse(String attachment, String volume) {
        return inUse.contains(attachment)
                || world.find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, Volume.key(volume)).stream()
                        .anyMatch(each -> mounted(each)
                                .filter(new MountedVolume(volume, node)::equals)
                                .isPresent());
    }

    /** Returns what an ActualVolume prevents from being detached; empty if it is not mounted. */
    static Optional<MountedVolume> mounted(StoredObject stored) {
        ActualVolume actual = ActualVolume.of(stored);
        boolean mounted = !NOT_MOUNTED.contains(actual.state())
                || !actual.status().path("mounts").isEmpty()
                || !actual.deviceMountPath().isEmpty();
        return mounted && !actual.persistentVolume().isEmpty()
                ? Optional.of(new MountedVolume(actual.persistentVolume(), actual.node()))
                : Optional.empty();
    }
}
