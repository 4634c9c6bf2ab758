package dev.mooring.node.monitor;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.node.monitor.VolumeUsage.Fullness;
import dev.mooring.node.monitor.VolumeUsage.VolumeCondition;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * The known usage of claims whose volumes are or were mounted here, or are directories here. Kept in memory only:
 * volumes are measured again soon after a start. Outlives the controller that fills it. Thread-safe.
 */
public final class UsageCache {
    private final Clock clock;
    private final Map<ObjectKey, VolumeUsage> usages = new ConcurrentHashMap<>();

    public UsageCache(Clock clock) {
        this.clock = clock;
    }

    /**
     * The usage of a claim.
     *
     * @param used in bytes
     * @param percent of the usable space
     * @param measured when
     */
    public record Used(long used, int percent, Instant measured) {
        /** Returns text such as {@code 512Mi (50%)}. */
        public String text() {
            return ByteText.of(used) + " (" + percent + "%)";
        }
    }

    /** Returns whether the cache has no claim. */
    public boolean isEmpty() {
        return usages.isEmpty();
    }

    /** Returns the usage of a claim, or empty if it is unknown. */
    public Optional<Used> of(String namespace, String claim) {
        return get(Claim.key(namespace, claim))
                .flatMap(each -> each.fullness(clock.instant()))
                .map(full -> new Used(full.used(), (int) full.percent(), full.measured()));
    }

    Optional<VolumeUsage> get(ObjectKey claim) {
        return Optional.ofNullable(usages.get(claim));
    }

    Collection<VolumeUsage> all() {
        return List.copyOf(usages.values());
    }

    /** Tracks a claim whose volume is mounted or is a directory. */
    void track(UsageTarget subject, VolumeCondition condition) {
        usages.compute(
                subject.claim(),
                (key, known) -> known == null ? VolumeUsage.of(subject, condition) : known.as(subject, condition));
    }

    /**
     * Marks a claim's volume as not mounted and not measurable. Keeps its last values, but drops those of another
     * volume.
     */
    void unmounted(ObjectKey claim, String volume) {
        usages.computeIfPresent(
                claim,
                (key, known) -> known.target().volume().equals(volume)
                        ? known.as(known.target(), VolumeCondition.UNMOUNTED)
                        : null);
    }

    /** Removes a claim that has no volume any more. */
    void remove(ObjectKey claim) {
        usages.remove(claim);
    }

    Set<ObjectKey> claims() {
        return Set.copyOf(usages.keySet());
    }

    /**
     * Stores the result of a measurement.
     *
     * @return the level that the volume has risen to, if it has
     */
    Optional<LevelCrossing> update(ObjectKey claim, UnaryOperator<VolumeUsage> change) {
        AtomicReference<LevelCrossing> crossing = new AtomicReference<>();
        usages.computeIfPresent(claim, (key, known) -> {
            VolumeUsage learned = change.apply(known);
            Optional<Fullness> full = learned.fullness(clock.instant());
            if (full.isEmpty()) {
                return learned;
            }
            UsageLevel next = known.level().next(full.get().percent());
            VolumeUsage now = learned.at(next);
            if (next.compareTo(known.level()) > 0) {
                crossing.set(new LevelCrossing(now, full.get()));
            }
            return now;
        });
        return Optional.ofNullable(crossing.get());
    }

    /** A volume has risen above a usage threshold. */
    record LevelCrossing(VolumeUsage usage, Fullness fullness) {}
}
