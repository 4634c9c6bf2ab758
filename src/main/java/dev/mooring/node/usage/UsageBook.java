package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.node.usage.Usage.Condition;
import dev.mooring.node.usage.Usage.Fullness;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * What is known of how full the claims are whose volumes are mounted here, and of no others. Only in memory: it is measured again soon
 * after a start. Outlives whoever writes it. Thread-safe.
 */
public final class UsageBook {
    private final Clock clock;
    private final Map<ObjectKey, Usage> usages = new ConcurrentHashMap<>();

    public UsageBook(Clock clock) {
        this.clock = clock;
    }

    /**
     * How much a claim uses.
     *
     * @param used in bytes
     * @param percent of what it may use
     */
    public record Used(long used, int percent) {
        /** {@code 512Mi (50%)} */
        public String text() {
            return ByteText.of(used) + " (" + percent + "%)";
        }
    }

    /** Whether nothing is known of any claim. */
    public boolean isEmpty() {
        return usages.isEmpty();
    }

    /** Nothing if it is not known. */
    public Optional<Used> of(String namespace, String claim) {
        return get(Claim.key(namespace, claim))
                .flatMap(each -> each.fullness(clock.instant()))
                .map(full -> new Used(full.used(), (int) full.percent()));
    }

    Optional<Usage> get(ObjectKey claim) {
        return Optional.ofNullable(usages.get(claim));
    }

    Collection<Usage> all() {
        return List.copyOf(usages.values());
    }

    /** The claim's volume is mounted, here and so. */
    void keep(Subject subject, Condition condition) {
        usages.compute(
                subject.claim(),
                (key, known) -> known == null ? Usage.of(subject, condition) : known.as(subject, condition));
    }

    /** The claim's volume is not mounted any more. */
    void forget(ObjectKey claim) {
        usages.remove(claim);
    }

    Set<ObjectKey> claims() {
        return Set.copyOf(usages.keySet());
    }

    /**
     * Something has been measured, or could not be.
     *
     * @return the level it has risen to thereby, if it has
     */
    Optional<Crossing> learn(ObjectKey claim, UnaryOperator<Usage> change) {
        AtomicReference<Crossing> crossing = new AtomicReference<>();
        usages.computeIfPresent(claim, (key, known) -> {
            Usage learned = change.apply(known);
            Optional<Fullness> full = learned.fullness(clock.instant());
            if (full.isEmpty()) {
                return learned;
            }
            Level next = known.level().next(full.get().percent());
            Usage now = learned.at(next);
            if (next.compareTo(known.level()) > 0) {
                crossing.set(new Crossing(now, full.get()));
            }
            return now;
        });
        return Optional.ofNullable(crossing.get());
    }

    /** A volume has become fuller than it should be. */
    record Crossing(Usage usage, Fullness fullness) {}
}
