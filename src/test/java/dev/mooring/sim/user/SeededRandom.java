package dev.mooring.sim.user;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Random choices from a seed. For one thread. */
final class SeededRandom {
    private final Random random;

    SeededRandom(Random random) {
        this.random = random;
    }

    <T> T one(List<T> options) {
        return options.get(random.nextInt(options.size()));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Returns true with the given probability in percent. */
    boolean percent(int share) {
        return random.nextInt(100) < share;
    }

    Duration upTo(Duration longest) {
        return Duration.ofMillis(1 + random.nextInt(Math.toIntExact(longest.toMillis())));
    }
}
