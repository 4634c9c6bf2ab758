package dev.mooring.node.pod;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Why something did not go well the last time.
 *
 * @param reason of {@code state.waiting}
 * @param times in a row
 * @param next when it is worth trying again
 */
record Trouble(String reason, String message, int times, Instant next) {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int DOUBLINGS = 6;

    /** The first, or one more. */
    static Trouble after(Trouble before, String reason, String message, Instant now) {
        int times = before == null ? 1 : before.times() + 1;
        return new Trouble(reason, message, times, now.plus(wait(times)));
    }

    /** When it is worth trying again, if not now. A time beyond the longest wait was written down before the clock was set back. */
    Optional<Instant> due(Instant now) {
        return now.isBefore(next) && !next.isAfter(now.plus(LONGEST)) ? Optional.of(next) : Optional.empty();
    }

    /** @param times in a row; with none there is nothing to wait for */
    static Duration wait(int times) {
        if (times <= 0) {
            return Duration.ZERO;
        }
        Duration wait = FIRST.multipliedBy(1L << Math.min(times - 1, DOUBLINGS));
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
