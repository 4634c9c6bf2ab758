package dev.mooring.chaos.fuzz;

import java.util.List;

/** The chance of one request: a stream of numbers that follows from the run's seed and the request's number alone. For one thread. */
final class Dice {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private long state;

    private Dice(long state) {
        this.state = state;
    }

    static Dice of(long seed, long number) {
        return new Dice(mix(seed * GOLDEN + mix(number + GOLDEN)));
    }

    /** SplitMix64: numbers that are close together lead to streams that have nothing in common. */
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

    boolean oneIn(int many) {
        return below(many) == 0;
    }

    boolean percent(int percent) {
        return below(100) < percent;
    }

    <T> T pick(List<T> from) {
        return from.get(below(from.size()));
    }

    String pick(String... from) {
        return from[below(from.length)];
    }
}
