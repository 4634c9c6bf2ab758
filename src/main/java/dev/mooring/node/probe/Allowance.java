package dev.mooring.node.probe;

import java.time.Duration;
import java.time.Instant;

/**
 * How much may be told of one Pod: a probe that fails each second for days is worth a few Events, not a log full of them. As much as
 * Kubernetes lets one source tell of one object. Thread-safe.
 */
final class Allowance {
    private static final int BURST = 25;
    private static final Duration REFILL = Duration.ofMinutes(5);

    private int left = BURST;
    private Instant refilled = Instant.MIN;

    synchronized boolean take(Instant now) {
        if (left == BURST) {
            refilled = now;
        }
        while (left < BURST && !refilled.plus(REFILL).isAfter(now)) {
            refilled = refilled.plus(REFILL);
            left++;
        }
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
