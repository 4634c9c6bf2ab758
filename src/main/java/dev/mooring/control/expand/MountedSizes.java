package dev.mooring.control.expand;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How large volumes are where they are mounted, according to the nodes. Keys only; what is true is read from the World. For one thread. */
final class MountedSizes {
    private final Map<String, Set<ObjectKey>> byVolume = new HashMap<>();

    /** Takes a change of an ActualVolume; the PersistentVolume it is about, "" if none. */
    String follow(Change change) {
        ActualVolume actual = ActualVolume.of(change.object());
        String volume = actual.persistentVolume();
        if (volume.isEmpty()) {
            return "";
        }
        if (change.isRemoval() || actual.capacity().isEmpty()) {
            Optional.ofNullable(byVolume.get(volume)).ifPresent(keys -> {
                keys.remove(change.key());
                if (keys.isEmpty()) {
                    byVolume.remove(volume);
                }
            });
        } else {
            byVolume.computeIfAbsent(volume, unused -> new TreeSet<>()).add(change.key());
        }
        return volume;
    }

    /** Whether a node has it mounted with all of its size. */
    boolean has(World world, Volume volume) {
        Quantity size = volume.capacity().orElse(Quantity.ZERO);
        return byVolume.getOrDefault(volume.name(), Set.of()).stream()
                .flatMap(key -> world.get(key).stream())
                .map(ActualVolume::of)
                .anyMatch(actual -> actual.persistentVolume().equals(volume.name())
                        && actual.deviceMount().equals(ActualVolume.MOUNTED)
                        && actual.capacity()
                                .filter(has -> has.compareTo(size) >= 0)
                                .isPresent());
    }
}
