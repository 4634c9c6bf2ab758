package dev.mooring.chaos.fuzz;

import java.util.List;

/** Random numbers of one request, determined by the seed of the run and the number of the request. For one thread. */
final class FuzzRandom {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private long state;

    private FuzzRandom(long state) {
        this.state = state;
    }

    static FuzzRandom of(long seed, long number) {
        return new FuzzRandom(mix(seed * GOLDEN + mix(number + GOLDEN)));
    }

    /** SplitMix64: adjacent numbers lead to unrelated streams. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    long bits() {
        state += GOLDEN;
        return mix(state);
    }

    int below(int bound) {
        return (int) Long.remainderUnsigned(bits(), bound);
    }

    boolean oneIn(int count) {
        return below(count) == 0;
    }

    boolean percent(int percent) {
        return below(100) < percent;
    }

    <T> T pick(List<T> values) {
        return values.get(below(values.size()));
    }

    String pick(String... values) {
        return values[below(values.length)];
    }
}
