package dev.mooring.node.usage;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that is found out again and again. The last answer counts for a while when there is no new one, and then no more. Immutable.
 *
 * @param found the last answer, if there was one
 * @param asked when it was last tried
 * @param failingSince when the first try failed since then, if one did
 */
record Known<T>(Optional<T> found, Instant asked, Optional<Instant> failingSince) {
    static final Duration OUTLIVES = Duration.ofMinutes(5);

    static <T> Known<T> nothing() {
        return new Known<>(Optional.empty(), Instant.MIN, Optional.empty());
    }

    Known<T> answered(T answer, Instant now) {
        return new Known<>(Optional.of(answer), now, Optional.empty());
    }

    Known<T> failed(Instant now) {
        return new Known<>(found, now, Optional.of(failingSince.orElse(now)));
    }

    /** What may be told. */
    Optional<T> at(Instant now) {
        return found.filter(unused ->
                failingSince.isEmpty() || now.isBefore(failingSince.get().plus(OUTLIVES)));
    }

    /** Whether it was tried less than so long ago. A clock that was set back does not count. */
    boolean isFresh(Duration age, Instant now) {
        return !asked.equals(Instant.MIN) && !asked.isAfter(now) && now.isBefore(asked.plus(age));
    }
}
