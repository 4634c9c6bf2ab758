package dev.mooring.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One run of the monkey. The seed and the existing verticles determine the sequence of kills. Used by the chaos
 * verticle's thread; other threads may read its state.
 */
final class ChaosRun {
    private final Set<String> targets;
    private final Duration every;
    private final Instant until;
    private final long seed;
    private final String actor;
    private final Random random;
    private final AtomicInteger killed = new AtomicInteger();

    /**
     * Creates a run.
     *
     * @param targets verticles that it may kill
     */
    ChaosRun(Set<String> targets, Duration every, Instant until, long seed, String actor) {
        this.targets = Set.copyOf(targets);
        this.every = every;
        this.until = until;
        this.seed = seed;
        this.actor = actor;
        this.random = new Random(seed);
    }

    /** Returns the next target, whether it is up or not: the sequence must not depend on which verticles are up. */
    ChaosTargets.ChaosTarget choose(List<ChaosTargets.ChaosTarget> all) {
        List<ChaosTargets.ChaosTarget> candidates =
                all.stream().filter(each -> targets.contains(each.name())).toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    boolean isOver(Instant now) {
        return !now.isBefore(until);
    }

    void count() {
        killed.incrementAndGet();
    }

    int killed() {
        return killed.get();
    }

    Duration every() {
        return every;
    }

    Instant until() {
        return until;
    }

    long seed() {
        return seed;
    }

    String actor() {
        return actor;
    }

    Set<String> targets() {
        return targets;
    }
}
