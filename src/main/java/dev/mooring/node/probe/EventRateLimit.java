package dev.mooring.node.probe;

import java.time.Duration;
import java.time.Instant;

/**
 * Limits the Events of one Pod, so that a probe that fails each second for days does not fill the event log. Uses the
 * limits of Kubernetes' event source and object rate limit. Thread-safe.
 */
final class EventRateLimit {
    private static final int BURST = 25;
    private static final Duration REFILL = Duration.ofMinutes(5);

    private int left = BURST;
    private Instant refilled = Instant.MIN;

    synchronized boolean tryAcquire(Instant now) {
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
