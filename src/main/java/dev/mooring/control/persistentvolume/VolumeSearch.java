package dev.mooring.control.persistentvolume;

import dev.mooring.control.persistentvolume.VolumeEntry.MatchKey;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds volumes for claims in the World's indexes. A search costs O(log n) unless labels or nodes must be compared.
 * Pure; thread-safe.
 */
public final class VolumeSearch {
    private static final Comparator<Volume> BY_CAPACITY = Comparator.comparing(
                    (Volume volume) -> volume.capacity().orElse(Quantity.ZERO))
            .thenComparing(Volume::name);

    private VolumeSearch() {}

    /** A free volume that may match; not parsed yet, because parsing is expensive. */
    public record Candidate(StoredObject stored, NodeSelector affinity) {}

    /**
     * Returns the volume that is reserved for a claim: by uid before by name; then the one with the fewest access
     * modes, then the smallest.
     */
    static Optional<Volume> reservedFor(World world, Claim claim) {
        return world.find(Indexes.VOLUMES_BY_CLAIM, claim.key()).stream()
                .map(Volume::of)
                .filter(volume ->
                        volume.claimRef().filter(ref -> ref.admits(claim)).isPresent())
                .filter(volume ->
                        VolumeMatcher.mismatchOfReserved(volume, claim).isEmpty()
                                && !Lookup.isBeingEmptied(world, volume))
                .min(Comparator.comparing((Volume volume) ->
                                !volume.claimRef().orElseThrow().hasUid())
                        .thenComparing(volume -> volume.accessModes().count())
                        .thenComparing(BY_CAPACITY));
    }

    /**
     * Returns the free volume that matches a claim best: the fewest additional access modes, then the smallest, then
     * the first by name.
     *
     * @param candidateFilter cheap condition, checked first
     * @param alsoFits additional condition
     */
    public static Optional<Volume> findFor(
            World world, Claim claim, Predicate<Candidate> candidateFilter, Predicate<Volume> alsoFits) {
        Index.Entries<VolumeEntry> entries = world.index(VolumeEntry.INDEX);
        Optional<LabelSelector> selector = claim.selector();
        Optional<Volume> best = Optional.empty();
        for (AccessModes modes : AccessModes.ALL) {
            if (best.isPresent() && modes.count() > best.get().accessModes().count()) {
                break;
            }
            if (!modes.containsAll(claim.accessModes())) {
                continue;
            }
            MatchKey key = new MatchKey(claim.className().orElse(""), claim.mode(), claim.attributesClass(), modes);
            Optional<Volume> found = entries.from(VolumeEntry.atLeast(key, claim.request()))
                    .map(Index.Entry::value)
                    .takeWhile(entry -> entry.state() == VolumeEntry.State.FREE
                            && entry.matchKey().equals(key))
                    .filter(entry -> selector.isEmpty() || selector.get().matches(entry.labels()))
                    .map(entry ->
                            new Candidate(world.get(Volume.key(entry.name())).orElseThrow(), entry.affinity()))
                    .filter(candidateFilter)
                    .map(candidate -> Volume.of(candidate.stored()))
                    .filter(volume -> !Lookup.isBeingEmptied(world, volume) && alsoFits.test(volume))
                    .findFirst();
            if (found.isPresent() && (best.isEmpty() || BY_CAPACITY.compare(found.get(), best.get()) < 0)) {
                best = found;
            }
        }
        return best;
    }
}
