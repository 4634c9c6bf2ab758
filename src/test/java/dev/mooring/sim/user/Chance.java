package dev.mooring.sim.user;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Choices that a seed decides. For one thread. */
final class Chance {
    private final Random random;

    Chance(Random random) {
        this.random = random;
    }

    <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** True in so many of a hundred cases. */
    boolean percent(int share) {
        return random.nextInt(100) < share;
    }

    Duration upTo(Duration longest) {
        return Duration.ofMillis(1 + random.nextInt(Math.toIntExact(longest.toMillis())));
    }
}
