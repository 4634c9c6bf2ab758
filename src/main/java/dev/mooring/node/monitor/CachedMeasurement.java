package dev.mooring.node.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A repeated measurement. The last value stays valid for a limited time while measuring fails. Immutable.
 *
 * @param value the last value, if any
 * @param lastAttempt time of the last attempt
 * @param failingSince time of the first failure after the last value, if any
 */
record CachedMeasurement<T>(Optional<T> value, Instant lastAttempt, Optional<Instant> failingSince) {
    static final Duration MAX_AGE = Duration.ofMinutes(5);

    static <T> CachedMeasurement<T> empty() {
        return new CachedMeasurement<>(Optional.empty(), Instant.MIN, Optional.empty());
    }

    CachedMeasurement<T> succeeded(T value, Instant now) {
        return new CachedMeasurement<>(Optional.of(value), now, Optional.empty());
    }

    CachedMeasurement<T> failed(Instant now) {
        return new CachedMeasurement<>(value, now, Optional.of(failingSince.orElse(now)));
    }

    /** Returns when the last value was measured, or shortly after. */
    Instant succeeded() {
        return failingSince.orElse(lastAttempt);
    }

    /** Returns the value if it is still valid. */
    Optional<T> valueAt(Instant now) {
        return value.filter(unused ->
                failingSince.isEmpty() || now.isBefore(failingSince.get().plus(MAX_AGE)));
    }

    /**
     * Returns whether the last attempt is younger than the given age. A time in the future, after a clock was set back,
     * does not count.
     */
    boolean isFresh(Duration age, Instant now) {
        return !lastAttempt.equals(Instant.MIN) && !lastAttempt.isAfter(now) && now.isBefore(lastAttempt.plus(age));
    }
}
