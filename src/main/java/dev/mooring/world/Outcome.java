package dev.mooring.world;

import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;

/** What became of a proposal. A lost race is an answer, not an exception: the proposer looks again. */
public sealed interface Outcome {
    /** It happened and survives any crash. */
    record Committed(Event event) implements Outcome {}

    /**
     * It did not happen: an object was not as expected.
     *
     * @param expected the revision it should have had, 0 for absent, {@link #PRESENT} for any
     * @param found the revision it has, 0 for absent
     */
    record Conflict(ObjectKey key, long expected, long found) implements Outcome {
        /** An object was expected to be there, whatever its revision. */
        public static final long PRESENT = -1;

        @Override
        public String toString() {
            return "Expected " + key + " to be " + describe(expected) + ", but it is " + describe(found);
        }

        private static String describe(long revision) {
            if (revision == PRESENT) {
                return "there";
            }
            return revision == 0 ? "absent" : "at revision " + revision;
        }
    }

    /** It was not acknowledged, for a reason that lies not in the objects. */
    record Refused(Reason reason, String message) implements Outcome {}

    /** Why the ledger does not take something. */
    enum Reason {
        /** Too much is waiting. Try again a little later. */
        OVERLOADED,
        /** The log takes nothing more until the process is started anew; what was under way may or may not be in it then. */
        READ_ONLY,
        /** The ledger was stopped or killed before it came to this proposal; it did not happen. */
        STOPPED,
        /** The proposal itself is at fault. */
        INVALID
    }
}
