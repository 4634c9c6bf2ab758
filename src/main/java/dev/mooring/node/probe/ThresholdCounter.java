package dev.mooring.node.probe;

/** Counts equal consecutive probe results. Not thread-safe. */
final class ThresholdCounter {
    private final int successThreshold;
    private final int failureThreshold;
    private boolean last;
    private int run;

    ThresholdCounter(ProbeSpec spec) {
        this.successThreshold = spec.successThreshold();
        this.failureThreshold = spec.failureThreshold();
    }

    /** Counts a result and returns whether the number of consecutive equal results has reached its threshold. */
    boolean reachesThreshold(boolean success) {
        run = last == success ? run + 1 : 1;
        last = success;
        return run >= (success ? successThreshold : failureThreshold);
    }
}
