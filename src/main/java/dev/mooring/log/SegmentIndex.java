package dev.mooring.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The index of a segment: sparse positions of batches, and the revisions of the events of each {@link EventTerm}. */
interface SegmentIndex {
    /** Index interval: a reader of a given revision reads at most about this much too much. */
    long POSITION_EVERY = 32 << 10;

    /** Returns the last position for which the condition holds; it must hold for all before that one. */
    Optional<LogPosition> lastPosition(Predicate<LogPosition> condition) throws IOException;

    /** Adds the revisions of a term, ascending. */
    void find(EventTerm term, List<Long> found) throws IOException;

    /** A condition that may read from disk. */
    interface EntryCondition {
        boolean test(int number) throws IOException;
    }

    /** Returns how many of the first entries fulfil a condition that no later entry fulfils, by binary search. */
    static int countLeading(int entries, EntryCondition condition) throws IOException {
        int low = 0;
        int high = entries;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (condition.test(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns a posting: the hash in the high half, the revision relative to the segment's first in the low half. */
    static long posting(int hash, long revisionOffset) {
        return (long) hash << Integer.SIZE | (revisionOffset & 0xffff_ffffL);
    }

    static int hash(long posting) {
        return (int) (posting >>> Integer.SIZE);
    }

    static long offset(long posting) {
        return posting & 0xffff_ffffL;
    }

    /**
     * An index in memory, for the active segment. One thread adds; {@link #find} may run on any thread, and
     * sees everything added before.
     */
    final class Builder implements SegmentIndex {
        private final long firstRevision;
        private final List<LogPosition> positions = new ArrayList<>();
        private volatile Postings postings = new Postings(new long[64], 0);

        /** The array is shared with later instances, which only add entries behind {@code count}. */
        private static final class Postings {
            private final long[] entries;
            private final int count;

            Postings(long[] entries, int count) {
                this.entries = entries;
                this.count = count;
            }
        }

        Builder(long firstRevision) {
            this.firstRevision = firstRevision;
        }

        void add(long revision, int hash) {
            Postings now = postings;
            long[] entries = now.count == now.entries.length ? Arrays.copyOf(now.entries, 2 * now.count) : now.entries;
            entries[now.count] = posting(hash, revision - firstRevision);
            postings = new Postings(entries, now.count + 1);
        }

        /** Adds the end of a batch, sparsely. */
        synchronized void add(LogPosition end) {
            long last = positions.isEmpty()
                    ? SegmentFormat.SEGMENT_HEADER
                    : positions.get(positions.size() - 1).offset();
            if (end.offset() - last >= POSITION_EVERY) {
                positions.add(end);
            }
        }

        synchronized List<LogPosition> positions() {
            return List.copyOf(positions);
        }

        @Override
        public synchronized Optional<LogPosition> lastPosition(Predicate<LogPosition> condition) throws IOException {
            int count = countLeading(positions.size(), number -> condition.test(positions.get(number)));
            return count == 0 ? Optional.empty() : Optional.of(positions.get(count - 1));
        }

        long[] postings() {
            Postings now = postings;
            return Arrays.copyOf(now.entries, now.count);
        }

        @Override
        public void find(EventTerm term, List<Long> found) {
            Postings now = postings;
            for (int i = 0; i < now.count; i++) {
                if (hash(now.entries[i]) == term.hash()) {
                    found.add(firstRevision + offset(now.entries[i]));
                }
            }
        }
    }
}
