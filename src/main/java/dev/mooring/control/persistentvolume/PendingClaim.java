package dev.mooring.control.persistentvolume;

import dev.mooring.control.persistentvolume.VolumeEntry.MatchKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The indexed fields of a claim that accepts any matching volume. Immutable.
 *
 * <p>Ordered by the fields that must be equal to those of a volume and the access modes; then by request, largest
 * first, and by age, oldest first.
 */
record PendingClaim(MatchKey matchKey, Quantity request, Instant created) implements Comparable<PendingClaim> {
    private static final Index<PendingClaim> INDEX =
            Index.of("pending claims in matching order", Scope.resource(StorageNames.CLAIMS), PendingClaim::of);

    private static final Comparator<PendingClaim> BY_REQUEST = Comparator.comparing(
                    PendingClaim::request, Comparator.reverseOrder())
            .thenComparing(PendingClaim::created);

    private static final Comparator<PendingClaim> ORDER =
            Comparator.comparing(PendingClaim::matchKey).thenComparing(BY_REQUEST);

    /** A claim without a volume whose selector is valid. */
    private static List<PendingClaim> of(StoredObject stored) {
        Claim claim = Claim.of(stored);
        if (!claim.volumeName().isEmpty() || claim.isBindCompleted() || !hasValidSelector(claim)) {
            return List.of();
        }
        MatchKey key =
                new MatchKey(claim.className().orElse(""), claim.mode(), claim.attributesClass(), claim.accessModes());
        return List.of(new PendingClaim(key, claim.request(), claim.created()));
    }

    private static boolean hasValidSelector(Claim claim) {
        try {
            claim.selector();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Returns the pending claim that matches a free volume best: the one that requests most of its access modes, then
     * the largest request that it can hold, then the oldest claim. Costs O(log n) unless labels must be compared.
     *
     * @param alsoFits additional condition
     */
    static Optional<Claim> findFor(World world, Volume volume, Predicate<Claim> alsoFits) {
        Index.Entries<PendingClaim> entries = world.index(INDEX);
        Optional<Index.Entry<PendingClaim>> best = Optional.empty();
        for (int i = AccessModes.ALL.size() - 1; i >= 0; i--) {
            AccessModes modes = AccessModes.ALL.get(i);
            if (best.isPresent()
                    && modes.count()
                            < best.get().value().matchKey().accessModes().count()) {
                break;
            }
            if (!volume.accessModes().containsAll(modes)) {
                continue;
            }
            MatchKey key = new MatchKey(volume.className(), volume.mode(), volume.attributesClass(), modes);
            PendingClaim largest = new PendingClaim(key, volume.capacity().orElse(Quantity.ZERO), Instant.MIN);
            Optional<Index.Entry<PendingClaim>> bestSoFar = best;
            best = entries.from(largest)
                    .takeWhile(entry -> entry.value().matchKey().equals(key)
                            && (bestSoFar.isEmpty() || isBefore(entry, bestSoFar.get())))
                    .filter(entry -> fits(volume, claim(world, entry), alsoFits))
                    .findFirst()
                    .or(() -> bestSoFar);
        }
        return best.map(entry -> claim(world, entry));
    }

    private static Claim claim(World world, Index.Entry<PendingClaim> entry) {
        return Claim.of(world.get(entry.key()).orElseThrow());
    }

    private static boolean fits(Volume volume, Claim claim, Predicate<Claim> alsoFits) {
        return claim.selector()
                        .filter(selector -> !selector.matches(volume.labels()))
                        .isEmpty()
                && alsoFits.test(claim);
    }

    /** Compares claims with the same number of access modes. */
    private static boolean isBefore(Index.Entry<PendingClaim> one, Index.Entry<PendingClaim> other) {
        int order = BY_REQUEST.compare(one.value(), other.value());
        return order == 0 ? one.key().compareTo(other.key()) < 0 : order < 0;
    }

    @Override
    public int compareTo(PendingClaim other) {
        return ORDER.compare(this, other);
    }
}
