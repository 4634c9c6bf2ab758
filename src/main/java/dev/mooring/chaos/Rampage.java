package dev.mooring.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One run of the monkey: who is killed next is a matter of its seed and of who is there. For the chaos verticle's thread only; others may read how it
 * stands.
 */
final class Rampage {
    private final Set<String> among;
    private final Duration every;
    private final Instant until;
    private final long seed;
    private final String actor;
    private final Random random;
    private final AtomicInteger killed = new AtomicInteger();

    /** @param among whom it may kill */
    Rampage(Set<String> among, Duration every, Instant until, long seed, String actor) {
        this.among = Set.copyOf(among);
        this.every = every;
        this.until = until;
        this.seed = seed;
        this.actor = actor;
        this.random = new Random(seed);
    }

    /** The next, dead or alive: the choice must not depend on who happens to be up. */
    Victim choose(List<Victim> all) {
        List<Victim> candidates =
                all.stream().filter(each -> among.contains(each.name())).toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    boolean isOverAt(Instant now) {
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

    Set<String> among() {
        return among;
    }
}
