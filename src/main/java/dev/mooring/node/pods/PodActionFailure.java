package dev.mooring.node.pods;

import dev.mooring.control.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last failure of an action.
 *
 * @param reason of {@code state.waiting}
 * @param count of consecutive failures
 * @param next time of the next attempt
 */
record PodActionFailure(String reason, String message, int count, Instant next) {
    /** Returns the first failure, or the next consecutive one. */
    static PodActionFailure after(PodActionFailure before, String reason, String message, Instant now) {
        int times = before == null ? 1 : before.count() + 1;
        return new PodActionFailure(reason, message, times, now.plus(wait(times)));
    }

    /**
     * Returns the time of the next attempt; empty if it is due. A time beyond the maximum delay was stored before the
     * clock was set back, and counts as due.
     */
    Optional<Instant> retryTime(Instant now) {
        return Optional.of(next)
                .filter(due -> now.isBefore(due) && !due.isAfter(now.plus(Backoff.POD_ACTION.longest())));
    }

    /**
     * Returns the delay.
     *
     * @param times number of consecutive failures; 0 for no delay
     */
    static Duration wait(int times) {
        return times <= 0 ? Duration.ZERO : Backoff.POD_ACTION.after(times);
    }
}
