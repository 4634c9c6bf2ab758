package dev.mooring.sim;

import dev.mooring.api.resource.IdGenerator;
import java.util.Random;
import java.util.UUID;

/** Generates uids and name suffixes from a seed. */
final class SimIds implements IdGenerator {
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private final Random random;

    SimIds(Random random) {
        this.random = random;
    }

    @Override
    public String uid() {
        return new UUID((random.nextLong() & ~0xf000L) | 0x4000L, (random.nextLong() >>> 2) | 0x8000_0000_0000_0000L)
                .toString();
    }

    @Override
    public String nameSuffix() {
        StringBuilder ending = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            ending.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return ending.toString();
    }
}
