package dev.mooring.server;

import dev.mooring.api.resource.IdGenerator;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generates random names and uids. Uids have 122 random bits from a generator that is seeded once from the system: they
 * must be unique but not unguessable, and reading system randomness for each would dominate the cost of a small write.
 * Thread-safe.
 */
final class RandomIds implements IdGenerator {
    /** Kubernetes' alphabet: without vowels and ambiguous characters, so that no words result. */
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private static final int ENDING_LENGTH = 5;
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private final AtomicLong high;
    private final AtomicLong low;

    RandomIds(SecureRandom seed) {
        this.high = new AtomicLong(seed.nextLong());
        this.low = new AtomicLong(seed.nextLong());
    }

    @Override
    public String uid() {
        long first = mix(high.getAndAdd(GOLDEN));
        long second = mix(low.getAndAdd(GOLDEN));
        return new UUID((first & ~0xf000L) | 0x4000L, (second >>> 2) | 0x8000_0000_0000_0000L).toString();
    }

    @Override
    public String nameSuffix() {
        long random = mix(low.getAndAdd(GOLDEN)) >>> 1;
        StringBuilder ending = new StringBuilder(ENDING_LENGTH);
        for (int i = 0; i < ENDING_LENGTH; i++) {
            ending.append(LETTERS.charAt((int) (random % LETTERS.length())));
            random /= LETTERS.length();
        }
        return ending.toString();
    }

    /** SplitMix64: each of its 2^64 states gives a different number. */
    private static long mix(long state) {
        long mixed = (state ^ (state >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ (mixed >>> 31);
    }
}
