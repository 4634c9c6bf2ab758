package dev.mooring.node.reconcile;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which DesiredVolumes and ActualVolumes belong together, by the ActualVolume they are about and by PersistentVolume; so that looking at one
 * volume costs what that volume has, and not what the node has. Keys only: what is true is read from the World. For one thread.
 */
final class VolumeIndex {
    /** What was known of an object when it was last told. */
    private record Entry(Optional<ObjectKey> counterpart, String persistentVolume, AccessModes modes) {}

    private static final AccessModes NO_MODES = new AccessModes(0);

    private final String node;
    private final Map<ObjectKey, Entry> entries = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> desiredOf = new HashMap<>();
    private final Map<String, Set<ObjectKey>> desiredOfVolume = new HashMap<>();
    private final Map<String, Set<ObjectKey>> actualOfVolume = new HashMap<>();

    VolumeIndex(String node) {
        this.node = node;
    }

    /** Takes a change of a DesiredVolume; the ActualVolumes it was and is about. */
    Set<ObjectKey> desired(Change change) {
        Set<ObjectKey> concerned = new TreeSet<>();
        Entry before = entries.remove(change.key());
        if (before != null) {
            before.counterpart().ifPresent(key -> {
                concerned.add(key);
                remove(desiredOf, key, change.key());
            });
            remove(desiredOfVolume, before.persistentVolume(), change.key());
        }
        DesiredVolume desired = DesiredVolume.of(change.object());
        if (!change.isRemoval() && desired.node().equals(node)) {
            Entry entry = new Entry(desired.counterpart(), desired.persistentVolume(), desired.accessModes());
            entries.put(change.key(), entry);
            entry.counterpart().ifPresent(key -> {
                concerned.add(key);
                add(desiredOf, key, change.key());
            });
            add(desiredOfVolume, entry.persistentVolume(), change.key());
        }
        return concerned;
    }

    /** Takes a change of an ActualVolume of any node. */
    void actual(Change change) {
        Entry before = entries.remove(change.key());
        if (before != null) {
            remove(actualOfVolume, before.persistentVolume(), change.key());
        }
        if (!change.isRemoval()) {
            String volume = ActualVolume.of(change.object()).persistentVolume();
            entries.put(change.key(), new Entry(Optional.empty(), volume, NO_MODES));
            add(actualOfVolume, volume, change.key());
        }
    }

    /** Those of a volume that can be mounted, in the order of names. */
    List<DesiredVolume> desiredOf(World world, ObjectKey actual) {
        List<DesiredVolume> found = new ArrayList<>();
        for (ObjectKey each : desiredOf.getOrDefault(actual, Set.of())) {
            world.get(each)
                    .map(DesiredVolume::of)
                    .filter(desired -> desired.isResolved()
                            && desired.node().equals(node)
                            && desired.counterpart().equals(Optional.of(actual)))
                    .ifPresent(found::add);
        }
        return found;
    }

    /** Those of a PersistentVolume, first come first. */
    List<DesiredVolume> desiredOfVolume(World world, String persistentVolume) {
        List<DesiredVolume> found = new ArrayList<>();
        for (ObjectKey each : desiredOfVolume.getOrDefault(persistentVolume, Set.of())) {
            world.get(each)
                    .map(DesiredVolume::of)
                    .filter(desired -> desired.isResolved() && desired.node().equals(node))
                    .ifPresent(found::add);
        }
        found.sort(Comparator.comparing(
                        (DesiredVolume each) -> each.spec().path("since").asText(""))
                .thenComparing(DesiredVolume::name));
        return found;
    }

    /** Those of a PersistentVolume, on whatever node. */
    List<ActualVolume> actualOfVolume(World world, String persistentVolume) {
        List<ActualVolume> found = new ArrayList<>();
        for (ObjectKey each : actualOfVolume.getOrDefault(persistentVolume, Set.of())) {
            world.get(each).map(ActualVolume::of).ifPresent(found::add);
        }
        return found;
    }

    /**
     * The ActualVolumes of this node that may wait for others to let go of a PersistentVolume.
     *
     * @param whose who has let go
     */
    Set<ObjectKey> waitingFor(String persistentVolume, Holder whose) {
        Set<ObjectKey> waiting = new TreeSet<>();
        for (ObjectKey each : desiredOfVolume.getOrDefault(persistentVolume, Set.of())) {
            Entry entry = entries.get(each);
            boolean waits = entry.modes().isOncePod()
                    || (whose == Holder.ANOTHER_NODE && !entry.modes().allowsManyNodes());
            if (!waits) {
                // They all have the modes of the one volume.
                return waiting;
            }
            entry.counterpart().ifPresent(waiting::add);
        }
        return waiting;
    }

    /** On which side of the network somebody is. */
    enum Holder {
        THIS_NODE,
        ANOTHER_NODE
    }

    /** The ActualVolumes of this node that are, or are to be, of a PersistentVolume. */
    Set<ObjectKey> ofVolume(World world, String persistentVolume) {
        Set<ObjectKey> keys = new TreeSet<>();
        for (ObjectKey each : desiredOfVolume.getOrDefault(persistentVolume, Set.of())) {
            entries.get(each).counterpart().ifPresent(keys::add);
        }
        actualOfVolume(world, persistentVolume).stream()
                .filter(each -> each.node().equals(node))
                .forEach(each -> keys.add(each.key()));
        return keys;
    }

    /** The VolumeAttachment that decides whether this node may have a volume; nothing for volumes without such. */
    static Optional<StoredObject> attachment(World world, String volume, String node) {
        return CsiNames.attachment(volume, node)
                .map(name -> ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name))
                .flatMap(world::get);
    }

    private static <K> void add(Map<K, Set<ObjectKey>> sets, K key, ObjectKey value) {
        if (!"".equals(key)) {
            sets.computeIfAbsent(key, unused -> new TreeSet<>()).add(value);
        }
    }

    private static <K> void remove(Map<K, Set<ObjectKey>> sets, K key, ObjectKey value) {
        Set<ObjectKey> set = sets.get(key);
        if (set != null && set.remove(value) && set.isEmpty()) {
            sets.remove(key);
        }
    }
}
