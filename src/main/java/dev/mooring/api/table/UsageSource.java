package dev.mooring.api.table;

import java.util.Optional;

/** Knows how much claims use, as far as somebody measures it. Any thread; must not block. */
public interface UsageSource {
    /** For servers that measure nothing. */
    UsageSource NOBODY = new UsageSource() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public Optional<String> of(String namespace, String claim) {
            return Optional.empty();
        }
    };

    /** Whether it knows nothing of any claim, so that nobody needs to ask for each. */
    boolean isEmpty();

    /** Such as {@code 512Mi (50%)}; nothing if it is not known. */
    Optional<String> of(String namespace, String claim);
}
