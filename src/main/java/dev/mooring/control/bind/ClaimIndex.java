package dev.mooring.control.bind;

import dev.mooring.control.bind.VolumeEntry.Shelf;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.select.LabelSelector;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Claims by what they wait for: by the volume they name, by class, and those that take any volume in the order in which a volume wants to find
 * them. A new volume goes to the claim that asks for most of its access modes, then to the largest request that it can hold, then to the oldest:
 * so it is used as well as it can be, and finding that claim costs the logarithm of how many wait.
 *
 * <p>It knows what it was told; the World may be newer. For one thread.
 */
final class ClaimIndex {
    /** A claim that waits for any volume. */
    private record Waiting(
            ObjectKey key,
            Shelf shelf,
            AccessModes accessModes,
            Quantity request,
            Instant created,
            Optional<LabelSelector> selector)
            implements Comparable<Waiting> {
        static Waiting of(Claim claim) {
            return new Waiting(
                    claim.key(),
                    new Shelf(claim.className().orElse(""), claim.mode(), claim.attributesClass()),
                    claim.accessModes(),
                    claim.request(),
                    claim.created(),
                    claim.selector());
        }

        /** The largest first, then the oldest. */
        @Override
        public int compareTo(Waiting other) {
            int bySize = other.request.compareTo(request);
            int byAge = bySize == 0 ? created.compareTo(other.created) : bySize;
            return byAge == 0 ? key.compareTo(other.key) : byAge;
        }
    }

    private final Map<ObjectKey, Waiting> waiting = new HashMap<>();
    private final Map<Shelf, Map<AccessModes, NavigableSet<Waiting>>> byNeed = new HashMap<>();
    private final Map<String, Set<ObjectKey>> unboundByClass = new HashMap<>();
    private final Map<ObjectKey, String> classOf = new LinkedHashMap<>();
    private final Map<String, Set<ObjectKey>> byVolume = new HashMap<>();
    private final Map<ObjectKey, String> volumeOf = new HashMap<>();

    /** Under this name stand the claims that leave the class open. */
    static final String NO_CLASS = "";

    void follow(Change change) {
        forget(change.key());
        if (change.isRemoval()) {
            return;
        }
        Claim claim = Claim.of(change.object());
        String volume = claim.volumeName();
        if (!volume.isEmpty()) {
            volumeOf.put(claim.key(), volume);
            byVolume.computeIfAbsent(volume, name -> new LinkedHashSet<>()).add(claim.key());
        }
        if (claim.isBindCompleted()) {
            return;
        }
        String className = claim.className().orElse(NO_CLASS);
        classOf.put(claim.key(), className);
        unboundByClass.computeIfAbsent(className, name -> new LinkedHashSet<>()).add(claim.key());
        if (volume.isEmpty()) {
            Waiting entry = Waiting.of(claim);
            waiting.put(claim.key(), entry);
            byNeed.computeIfAbsent(entry.shelf(), shelf -> new HashMap<>())
                    .computeIfAbsent(entry.accessModes(), modes -> new TreeSet<>())
                    .add(entry);
        }
    }

    private void forget(ObjectKey key) {
        drop(byVolume, volumeOf.remove(key), key);
        drop(unboundByClass, classOf.remove(key), key);
        Waiting entry = waiting.remove(key);
        if (entry != null) {
            byNeed.computeIfPresent(entry.shelf(), (shelf, byModes) -> {
                byModes.computeIfPresent(entry.accessModes(), (modes, entries) -> {
                    entries.remove(entry);
                    return entries.isEmpty() ? null : entries;
                });
                return byModes.isEmpty() ? null : byModes;
            });
        }
    }

    private static void drop(Map<String, Set<ObjectKey>> index, String under, ObjectKey key) {
        if (under != null) {
            index.computeIfPresent(under, (name, keys) -> {
                keys.remove(key);
                return keys.isEmpty() ? null : keys;
            });
        }
    }

    /** The claims that name a volume, bound to it or not. */
    Set<ObjectKey> naming(String volume) {
        return byVolume.getOrDefault(volume, Set.of());
    }

    /** The claims of a class that are not bound, the oldest change first. */
    Set<ObjectKey> unboundOf(String className) {
        return unboundByClass.getOrDefault(className, Set.of());
    }

    /** Those that have not changed for the longest time first. */
    Set<ObjectKey> allUnbound() {
        return classOf.keySet();
    }

    boolean isUnbound(ObjectKey key) {
        return classOf.containsKey(key);
    }

    /**
     * The waiting claim that a free volume suits best.
     *
     * @param alsoFits what else is asked of it
     */
    Optional<Claim> findFor(World world, Volume volume, Predicate<Claim> alsoFits) {
        Shelf shelf = new Shelf(volume.className(), volume.mode(), volume.attributesClass());
        Waiting atMost = new Waiting(
                volume.key(),
                shelf,
                volume.accessModes(),
                volume.capacity().orElse(Quantity.ZERO),
                Instant.MIN,
                Optional.empty());
        Map<AccessModes, NavigableSet<Waiting>> byModes = byNeed.getOrDefault(shelf, Map.of());
        List<AccessModes> fitting = byModes.keySet().stream()
                .filter(volume.accessModes()::containsAll)
                .sorted(Comparator.comparingInt(AccessModes::count).reversed())
                .toList();
        Optional<Waiting> best = Optional.empty();
        Optional<Claim> found = Optional.empty();
        for (AccessModes modes : fitting) {
            if (best.isPresent() && modes.count() < best.get().accessModes().count()) {
                break;
            }
            for (Waiting entry : byModes.get(modes).tailSet(atMost, true)) {
                if (best.isPresent() && best.get().compareTo(entry) < 0) {
                    break;
                }
                Optional<Claim> claim = entry.selector()
                                .filter(selector -> !selector.matches(volume.labels()))
                                .isPresent()
                        ? Optional.empty()
                        : world.get(entry.key())
                                .map(Claim::of)
                                .filter(each ->
                                        isWaiting(each) && Fit.of(volume, each).isEmpty() && alsoFits.test(each));
                if (claim.isPresent()) {
                    best = Optional.of(entry);
                    found = claim;
                    break;
                }
            }
        }
        return found;
    }

    private static boolean isWaiting(Claim claim) {
        return claim.volumeName().isEmpty() && !claim.isBindCompleted();
    }
}
