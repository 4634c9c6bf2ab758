package dev.mooring.node.volumemanager;

import dev.mooring.host.MountTable;
import dev.mooring.model.EventReasons;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.WorldPort;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds leftovers of a previous process that no object references: global mounts, and loop devices on Mooring's own
 * images. Their owner is unknown, so it only warns. To be called after recovery, when all known volumes have their
 * ActualVolume. Any thread.
 */
public final class OrphanScanner {
    private final String node;
    private final List<Path> bases;
    private final WorldPort world;
    private final NodeWarnings warnings;

    /**
     * Creates a scanner.
     *
     * @param node name of the node
     * @param bases base directories of volume images, without symbolic links
     */
    public OrphanScanner(String node, List<Path> bases, WorldPort world, NodeWarnings warnings) {
        this.node = node;
        this.bases = List.copyOf(bases);
        this.world = world;
        this.warnings = warnings;
    }

    /**
     * A mount or device without an object.
     *
     * @param subject a path
     */
    record Orphan(String subject, String reason, String message) {}

    /** Warns of all orphans. */
    public void report(ObservedMachine machine) {
        for (Orphan each : find(world.world(), machine)) {
            warnings.warn(each.subject(), each.reason(), each.message(), each.message());
        }
    }

    List<Orphan> find(World seen, ObservedMachine machine) {
        List<Orphan> orphans = new ArrayList<>();
        boolean hasDevices = machine.backing().values().stream().anyMatch(this::isOwn);
        if (machine.globalMounts().isEmpty() && !hasDevices) {
            return orphans;
        }
        Set<String> known = known(seen);
        for (ObservedMachine.FoundGlobalMount each : machine.globalMounts()) {
            if (!known.contains(each.path().toString()) && !known.contains(volume(each.plugin(), each.name()))) {
                orphans.add(mount(each, machine.mounts().at(each.path())));
            }
        }
        machine.backing().forEach((device, image) -> {
            if (isOwn(image) && !known.contains(device) && !known.contains(image.toString())) {
                orphans.add(device(device, image));
            }
        });
        return orphans;
    }

    private boolean isOwn(Path image) {
        return bases.stream().anyMatch(image::startsWith);
    }

    /** Returns paths, devices and images that objects reference, and volumes as {@link #volume} names them. */
    private Set<String> known(World seen) {
        Set<String> known = new HashSet<>();
        for (ActualVolume each : new ActualStateOfWorld(node, seen).list()) {
            known.add(each.deviceMountPath());
            known.add(each.devicePath());
            known.add(SourceTypes.image(each.source()));
            known.add(volume(each.plugin(), each.persistentVolume()));
        }
        for (StoredObject each : seen.list(Scope.resource(StorageNames.VOLUMES))) {
            if (SourceTypes.mayHave(each, SourceType::isDevice)) {
                known.add(SourceTypes.image(Volume.of(each).spec()));
            }
        }
        return known;
    }

    private static String volume(String plugin, String name) {
        return plugin + ' ' + name;
    }

    private static Orphan mount(ObservedMachine.FoundGlobalMount found, Optional<MountTable.Mount> mounted) {
        String path = found.path().toString();
        String noVolume = ", but there is no PersistentVolume \"" + found.name() + "\" to which it belongs. ";
        String message = mounted.map(each -> "orphaned volume found: " + each.source() + " (" + each.type()
                        + ") is mounted at " + path + noVolume
                        + "It was not unmounted and nothing was deleted: if it is not needed, umount " + path
                        + " and rmdir " + path)
                .orElseGet(() -> "orphaned volume found: nothing is mounted at " + path + noVolume
                        + "Nothing was deleted: if it is empty, rmdir " + path);
        return new Orphan(path, EventReasons.ORPHANED_VOLUME_MOUNT, message);
    }

    private static Orphan device(String device, Path image) {
        return new Orphan(
                device,
                EventReasons.ORPHANED_LOOP_DEVICE,
                "orphaned volume found: " + device + " is attached to " + image
                        + ", but no PersistentVolume has that image. It was not detached: if it is not needed,"
                        + " losetup -d " + device);
    }
}
