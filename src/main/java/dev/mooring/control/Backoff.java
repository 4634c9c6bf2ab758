package dev.mooring.control;

import java.time.Duration;

/**
 * How long a key waits after failures: twice as long after each one.
 *
 * @param first after the first failure
 * @param longest never more than this
 */
public record Backoff(Duration first, Duration longest) {
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(5), Duration.ofSeconds(30));

    /** More doublings than fit between any two bounds that make sense. */
    private static final int MAX_DOUBLINGS = 40;

    public Backoff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "Expected a back-off to grow from above zero, but it is " + first + " to " + longest);
        }
    }

    /** @param failures how many in a row, at least 1 */
    public Duration after(int failures) {
        int doublings = failures - 1;
        if (doublings >= MAX_DOUBLINGS || first.compareTo(longest.dividedBy(1L << doublings)) > 0) {
            return longest;
        }
        return first.multipliedBy(1L << doublings);
    }
}
