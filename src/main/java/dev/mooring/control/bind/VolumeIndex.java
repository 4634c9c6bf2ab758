package dev.mooring.control.bind;

import dev.mooring.control.bind.VolumeEntry.Shelf;
import dev.mooring.control.bind.VolumeEntry.State;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.select.LabelSelector;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * All volumes, in the order in which a claim wants to find them: by what must be equal, then by access modes, then by size and name. Finding
 * one costs the logarithm of how many there are, unless labels have to be looked at.
 *
 * <p>It knows what it was told; the World may be newer. So it names candidates, and whether one is really free is read in the World.
 *
 * <p>For one thread.
 */
public final class VolumeIndex {
    private final Map<String, VolumeEntry> byName = new HashMap<>();
    private final Map<String, Map<String, VolumeEntry>> byClass = new HashMap<>();
    private final Map<Shelf, Map<AccessModes, NavigableSet<VolumeEntry>>> free = new HashMap<>();
    private final Map<ObjectKey, Set<String>> byClaim = new HashMap<>();
    private final Set<String> onSomeNodes = new TreeSet<>();

    /**
     * A volume that may be the one; not read yet, because reading is what costs.
     *
     * @param stored as the World has it
     * @param affinity where it can be reached, as far as it was told
     * @param told the revision up to which it was told
     */
    public record Candidate(StoredObject stored, NodeSelector affinity, long told) {
        /**
         * Whether it has changed since it was told of. Who had it in between, and may still think so, is not known then: nobody gets it until
         * its change has been told.
         */
        public boolean isAhead() {
            return stored.revision() != told;
        }
    }

    /** Takes in a change of a volume. */
    public void follow(Change change) {
        VolumeEntry before = byName.remove(change.key().name());
        if (before != null) {
            remove(before);
        }
        if (!change.isRemoval()) {
            add(VolumeEntry.of(Volume.of(change.object())));
        }
    }

    private void add(VolumeEntry entry) {
        byName.put(entry.name(), entry);
        if (!entry.affinity().isAny()) {
            onSomeNodes.add(entry.name());
        }
        byClass.computeIfAbsent(entry.shelf().className(), name -> new TreeMap<>())
                .put(entry.name(), entry);
        if (entry.state() == State.FREE) {
            free.computeIfAbsent(entry.shelf(), shelf -> new HashMap<>())
                    .computeIfAbsent(entry.accessModes(), modes -> new TreeSet<>())
                    .add(entry);
        }
        entry.claimRef()
                .ifPresent(ref -> byClaim.computeIfAbsent(ref.key(), key -> new TreeSet<>())
                        .add(entry.name()));
    }

    private void remove(VolumeEntry entry) {
        onSomeNodes.remove(entry.name());
        byClass.computeIfPresent(entry.shelf().className(), (name, entries) -> {
            entries.remove(entry.name());
            return entries.isEmpty() ? null : entries;
        });
        if (entry.state() == State.FREE) {
            free.computeIfPresent(entry.shelf(), (shelf, byModes) -> {
                byModes.computeIfPresent(entry.accessModes(), (modes, entries) -> {
                    entries.remove(entry);
                    return entries.isEmpty() ? null : entries;
                });
                return byModes.isEmpty() ? null : byModes;
            });
        }
        entry.claimRef()
                .ifPresent(ref -> byClaim.computeIfPresent(ref.key(), (key, names) -> {
                    names.remove(entry.name());
                    return names.isEmpty() ? null : names;
                }));
    }

    /** Whether a volume is as it was told of. */
    boolean isNewest(StoredObject volume) {
        VolumeEntry entry = byName.get(volume.key().name());
        return entry != null && entry.revision() == volume.revision();
    }

    /** The volumes that name a claim, whether it is that claim or was one of that name. */
    Set<String> namesOfVolumesFor(ObjectKey claim) {
        return byClaim.getOrDefault(claim, Set.of());
    }

    /** The volume that is kept for a claim: for this very one rather than for its name; then the one with the fewest modes, the smallest. */
    Optional<Volume> reservedFor(World world, Claim claim) {
        return namesOfVolumesFor(claim.key()).stream()
                .flatMap(name -> world.get(Volume.key(name)).stream())
                .map(Volume::of)
                .filter(volume ->
                        volume.claimRef().filter(ref -> ref.admits(claim)).isPresent())
                .filter(volume -> Fit.reserved(volume, claim).isEmpty() && !Lookup.isBeingEmptied(world, volume))
                .min(Comparator.comparing((Volume volume) ->
                                !volume.claimRef().orElseThrow().hasUid())
                        .thenComparing(volume -> volume.accessModes().count())
                        .thenComparing(volume -> volume.capacity().orElseThrow())
                        .thenComparing(Volume::name));
    }

    /**
     * The free volume that fits a claim best: with the fewest modes that it did not ask for, then the smallest, then the first by name.
     *
     * @param worthALook asked first, and often
     * @param alsoFits what else is asked of it
     */
    public Optional<Volume> findFor(
            World world, Claim claim, Predicate<Candidate> worthALook, Predicate<Volume> alsoFits) {
        Map<AccessModes, NavigableSet<VolumeEntry>> byModes = free.getOrDefault(
                new Shelf(claim.className().orElse(""), claim.mode(), claim.attributesClass()), Map.of());
        if (byModes.isEmpty()) {
            return Optional.empty();
        }
        Search search = new Search(world, claim, worthALook, alsoFits);
        List<AccessModes> fitting = byModes.keySet().stream()
                .filter(modes -> modes.containsAll(claim.accessModes()))
                .sorted(Comparator.comparingInt(AccessModes::count))
                .toList();
        Optional<Volume> best = Optional.empty();
        int bestCount = 0;
        for (AccessModes modes : fitting) {
            if (best.isPresent() && modes.count() > bestCount) {
                break;
            }
            Optional<Volume> found = search.first(byModes.get(modes));
            if (found.isPresent() && (best.isEmpty() || isBefore(found.get(), best.get()))) {
                best = found;
                bestCount = modes.count();
            }
        }
        return best;
    }

    private static boolean isBefore(Volume one, Volume other) {
        return VolumeEntry.of(one).compareTo(VolumeEntry.of(other)) < 0;
    }

    /** The entries of a class, in the order of their names. */
    Collection<VolumeEntry> ofClass(String className) {
        return byClass.getOrDefault(className, Map.of()).values();
    }

    /** The classes that volumes are of. */
    Set<String> classes() {
        return byClass.keySet();
    }

    /** The free volumes that cannot be reached from every node. */
    Set<String> onSomeNodes() {
        return onSomeNodes;
    }

    int size() {
        return byName.size();
    }

    /** One look for a volume. */
    private static final class Search {
        private final World world;
        private final Claim claim;
        private final Predicate<Candidate> worthALook;
        private final Predicate<Volume> alsoFits;
        private final Optional<LabelSelector> selector;

        private Search(World world, Claim claim, Predicate<Candidate> worthALook, Predicate<Volume> alsoFits) {
            this.world = world;
            this.claim = claim;
            this.worthALook = worthALook;
            this.alsoFits = alsoFits;
            this.selector = claim.selector();
        }

        private Optional<Volume> first(NavigableSet<VolumeEntry> entries) {
            for (VolumeEntry entry : entries.tailSet(atLeast(claim), true)) {
                if (selector.isPresent() && !selector.get().matches(entry.labels())) {
                    continue;
                }
                Optional<Volume> volume = world.get(Volume.key(entry.name()))
                        .filter(stored -> worthALook.test(new Candidate(stored, entry.affinity(), entry.revision())))
                        .map(Volume::of)
                        .filter(this::fits);
                if (volume.isPresent()) {
                    return volume;
                }
            }
            return Optional.empty();
        }

        /** As the World has it, which may be newer than what was told. */
        private boolean fits(Volume volume) {
            return volume.claimRef().isEmpty()
                    && (volume.phase().equals("Available")
                            || volume.phase().equals("Pending")
                            || volume.phase().isEmpty())
                    && Fit.of(volume, claim).isEmpty()
                    && !Lookup.isBeingEmptied(world, volume)
                    && alsoFits.test(volume);
        }

        /** Before all entries that are as large as the claim asks. */
        private static VolumeEntry atLeast(Claim claim) {
            return new VolumeEntry(
                    "",
                    0,
                    new Shelf("", claim.mode(), ""),
                    claim.accessModes(),
                    claim.request(),
                    claim.labels(),
                    NodeSelector.any(),
                    State.FREE,
                    Optional.empty());
        }
    }
}
