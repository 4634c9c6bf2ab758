package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What a seed has in store for a life: so many acts, each with a seed of its own, so that one can be left out without changing what the others do.
 *
 * @param length acts that it had before any were left out
 * @param keeps how much log the server keeps, in bytes; 0 for all
 */
record Plan(long seed, int length, int nodes, long keeps, List<Act> acts) {
    /** Of a whole life. */
    static final int ACTS = 90;

    /** Of a short one, which is the beginning of the whole one. */
    static final int FEW_ACTS = 36;

    /** What is done next to the world. */
    enum Deed {
        USER(58),
        MACHINE(16),
        WATCHER(5),
        WAIT(6),
        VERTICLE_KILLED(5),
        LEDGER_THREAD_KILLED(1),
        PROCESS_KILLED(2),
        PROCESS_CRASHES_WRITING(2),
        POWER_FAILS(2),
        SYNC_FAILS(1),
        DISK_FULL(1),
        CLOCK_SET(1);

        private final int weight;

        Deed(int weight) {
            this.weight = weight;
        }

        static Deed any(Random random) {
            int left = random.nextInt(total());
            for (Deed each : values()) {
                left -= each.weight;
                if (left < 0) {
                    return each;
                }
            }
            throw new AssertionError(left);
        }

        private static int total() {
            int total = 0;
            for (Deed each : values()) {
                total += each.weight;
            }
            return total;
        }
    }

    /** @param steps that may happen before the next act */
    record Act(int number, Deed deed, long seed, int steps) {}

    static Plan of(long seed) {
        return of(seed, ACTS);
    }

    static Plan of(long seed, int length) {
        Random random = new Random(seed * 0x5DEECE66DL + 11);
        List<Act> acts = new ArrayList<>();
        int nodes = 1 + random.nextInt(3);
        long keeps = random.nextInt(3) == 0 ? 64 * 1024 : 0;
        // Some lives are busy, some leave time for each thing.
        int pace = 5 + random.nextInt(120);
        for (int i = 0; i < length; i++) {
            acts.add(new Act(i, Deed.any(random), random.nextLong(), random.nextInt(pace)));
        }
        return new Plan(seed, length, nodes, keeps, List.copyOf(acts));
    }

    /** The same life with fewer acts. */
    Plan with(List<Act> some) {
        return new Plan(seed, length, nodes, keeps, List.copyOf(some));
    }
}
