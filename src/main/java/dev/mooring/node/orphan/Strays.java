package dev.mooring.node.orphan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.WorldPort;
import dev.mooring.node.reconcile.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what a former life has left on the machine and no object accounts for: places where a volume is mounted for all Pods, and loop
 * devices on images among Mooring's own. Whose they are nobody can know any more, so nothing is done to them but to warn. To be asked when
 * everything of which something is known has its ActualVolume. Any thread.
 */
public final class Strays {
    static final String MOUNT = "OrphanedVolumeMount";
    static final String DEVICE = "OrphanedLoopDevice";

    private final String node;
    private final List<Path> bases;
    private final WorldPort world;
    private final NodeWarnings warnings;

    /**
     * @param node its name
     * @param bases where images of volumes are, without links
     */
    public Strays(String node, List<Path> bases, WorldPort world, NodeWarnings warnings) {
        this.node = node;
        this.bases = List.copyOf(bases);
        this.world = world;
        this.warnings = warnings;
    }

    /**
     * Something nobody knows.
     *
     * @param subject a path
     */
    record Stray(String subject, String reason, String message) {}

    /** Warns of everything that is there and should not be. */
    public void report(Machine machine) {
        for (Stray each : find(world.world(), machine)) {
            warnings.warn(each.subject(), each.reason(), each.message(), each.message());
        }
    }

    List<Stray> find(World seen, Machine machine) {
        List<Stray> strays = new ArrayList<>();
        boolean hasDevices = machine.backing().values().stream().anyMatch(this::isOwn);
        if (machine.shared().isEmpty() && !hasDevices) {
            return strays;
        }
        Set<String> known = known(seen);
        for (Machine.Shared each : machine.shared()) {
            if (!known.contains(each.path().toString()) && !known.contains(volume(each.plugin(), each.name()))) {
                strays.add(mount(each, machine.mounts().at(each.path())));
            }
        }
        machine.backing().forEach((device, image) -> {
            if (isOwn(image) && !known.contains(device) && !known.contains(image.toString())) {
                strays.add(device(device, image));
            }
        });
        return strays;
    }

    private boolean isOwn(Path image) {
        return bases.stream().anyMatch(image::startsWith);
    }

    /** Paths, devices and images that objects are about, and volumes as {@link #volume} names them. */
    private Set<String> known(World seen) {
        Set<String> known = new HashSet<>();
        for (StoredObject each : seen.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            if (StoredJson.mentions(each, node)) {
                ActualVolume actual = ActualVolume.of(each);
                if (actual.node().equals(node)) {
                    known.add(actual.deviceMountPath());
                    known.add(actual.devicePath());
                    known.add(image(actual.source()));
                    known.add(volume(actual.plugin(), actual.persistentVolume()));
                }
            }
        }
        for (StoredObject each : seen.list(Scope.resource(StorageNames.VOLUMES))) {
            if (StoredJson.mentions(each, StorageNames.BLOCK_DRIVER)) {
                known.add(image(Volume.of(each).spec()));
            }
        }
        return known;
    }

    private static String volume(String plugin, String name) {
        return plugin + ' ' + name;
    }

    private static String image(JsonNode source) {
        return source.path("csi").path("volumeAttributes").path("image").asText("");
    }

    private static Stray mount(Machine.Shared found, Optional<MountTable.Mount> mounted) {
        String path = found.path().toString();
        String nobody = ", but there is no PersistentVolume \"" + found.name() + "\" to which it belongs. ";
        String message = mounted.map(each -> "orphaned volume found: " + each.source() + " (" + each.type()
                        + ") is mounted at " + path + nobody
                        + "It was not unmounted and nothing was deleted: when nobody needs it, umount " + path
                        + " and rmdir " + path)
                .orElseGet(() -> "orphaned volume found: nothing is mounted at " + path + nobody
                        + "Nothing was deleted: if it is empty, rmdir " + path);
        return new Stray(path, MOUNT, message);
    }

    private static Stray device(String device, Path image) {
        return new Stray(
                device,
                DEVICE,
                "orphaned volume found: " + device + " is attached to " + image
                        + ", but no PersistentVolume has that image. It was not detached: when nobody needs it,"
                        + " losetup -d " + device);
    }
}
