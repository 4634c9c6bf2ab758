package dev.mooring.api.table;

import java.time.Instant;
import java.util.Optional;

/** Provides the measured usage of claims. Thread-safe; must not block. */
public interface UsageSource {
    /** A source without measurements. */
    UsageSource NONE = new UsageSource() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public Optional<Used> of(String namespace, String claim) {
            return Optional.empty();
        }
    };

    /** Returns true if no claim has a measurement, so that callers can skip the lookups. */
    boolean isEmpty();

    /** Returns the usage; empty if it is not known. */
    Optional<Used> of(String namespace, String claim);

    /**
     * The usage of a claim.
     *
     * @param text such as {@code 512Mi (50%)}
     * @param measured time of the measurement
     */
    record Used(String text, Instant measured) {}
}
