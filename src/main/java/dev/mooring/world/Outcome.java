package dev.mooring.world;

import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;

/** The outcome of a proposal. A lost race is an outcome, not an exception: the proposer reads again and retries. */
public sealed interface Outcome {
    /** Committed and durable. */
    record Committed(Event event) implements Outcome {}

    /**
     * Not committed: an object was not as expected.
     *
     * @param expected the expected revision; 0 for absent, {@link #PRESENT} for any
     * @param found the current revision; 0 for absent
     */
    record Conflict(ObjectKey key, long expected, long found) implements Outcome {
        /** The object was expected to exist at any revision. */
        public static final long PRESENT = -1;

        @Override
        public String toString() {
            return key + " is " + describe(found) + ", expected " + describe(expected);
        }

        private static String describe(long revision) {
            if (revision == PRESENT) {
                return "present";
            }
            return revision == 0 ? "absent" : "at revision " + revision;
        }
    }

    /** Not acknowledged, for a reason other than a conflict. */
    record Refused(Reason reason, String message) implements Outcome {}

    /** Why the ledger refused a proposal. */
    enum Reason {
        /** Too many proposals wait; retry later. */
        OVERLOADED,
        /** The log accepts no events until the process restarts; a batch in flight may or may not be in it then. */
        READ_ONLY,
        /** The ledger was stopped or killed before it decided the proposal; it was not committed. */
        STOPPED,
        /** The proposal is invalid. */
        INVALID,
        /** The quota of the namespace is exceeded. */
        QUOTA,
        /** The World has reached its size limit. */
        FULL
    }
}
