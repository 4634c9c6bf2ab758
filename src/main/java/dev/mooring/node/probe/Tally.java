package dev.mooring.node.probe;

/** How often in a row the same was found. Not thread-safe. */
final class Tally {
    private final int successThreshold;
    private final int failureThreshold;
    private boolean last;
    private int run;

    Tally(ProbeSpec spec) {
        this.successThreshold = spec.successThreshold();
        this.failureThreshold = spec.failureThreshold();
    }

    /** Counts; whether it has been found often enough in a row to be believed. */
    boolean settles(boolean success) {
        run = last == success ? run + 1 : 1;
        last = success;
        return run >= (success ? successThreshold : failureThreshold);
    }
}
