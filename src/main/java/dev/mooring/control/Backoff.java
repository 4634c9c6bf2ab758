package dev.mooring.control;

import java.time.Duration;

/**
 * Exponential back-off of a failing key; the delay doubles with each failure.
 *
 * @param first delay after the first failure
 * @param longest upper bound
 */
public record Backoff(Duration first, Duration longest) {
    /** For a key of a controller. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(5), Duration.ofSeconds(30));

    /** For operations on a volume, as in Kubernetes. The odd maximum identifies the limit in logs. */
    public static final Backoff VOLUME_OPERATION = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(122));

    /** For provisioning on a node: until the node is rejected, and until it is chosen again. */
    public static final Backoff PROVISIONING = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(2));

    /** For image pulls and restarts of crashing containers, as in the kubelet. */
    public static final Backoff CONTAINER = new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** For other actions of a Pod, such as the start of its sandbox. */
    public static final Backoff POD_ACTION = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

    /** For connections and queries to the container engine. */
    public static final Backoff ENGINE = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

    /** For a node's proposals to a ledger that is overloaded or stopped; a read-only ledger stays read-only. */
    public static final Backoff NODE_PROPOSAL = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

    /**
     * For a repeated Event: from the resync period of Kubernetes' PersistentVolumeController, after which it repeats an
     * Event, to the interval at which Kubernetes' recorder accepts another Event about one object after a burst.
     */
    public static final Backoff EVENT = new Backoff(Duration.ofSeconds(15), Duration.ofMinutes(5));

    /** Upper bound on the exponent, so that the shift cannot overflow. */
    private static final int MAX_DOUBLINGS = 40;

    public Backoff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "Back-off must start above zero and must not shrink, got " + first + " to " + longest);
        }
    }

    /**
     * Returns the delay after a number of consecutive failures.
     *
     * @param failures consecutive failures, at least 1
     */
    public Duration after(int failures) {
        int doublings = failures - 1;
        if (doublings >= MAX_DOUBLINGS || first.compareTo(longest.dividedBy(1L << doublings)) > 0) {
            return longest;
        }
        return first.multipliedBy(1L << doublings);
    }

    /**
     * Returns whether a repeated failure is logged: the first time and each time its count has doubled.
     *
     * @param failures consecutive failures, at least 1
     */
    public static boolean isLogged(int failures) {
        return Integer.bitCount(failures) == 1;
    }
}
