package dev.mooring.node.pods;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The queue of containers to inspect after events: one inspection per container at a time, a limited number in total,
 * first in, first out. A slow inspection stops counting against the limit, so that hanging containers delay no others.
 * A container with an event during its inspection, or a failed inspection, is inspected again. Has no timers and no
 * threads. For one thread at a time; guarded by the lock of {@link RuntimeWatcher}.
 */
final class InspectionQueue {
    private final int limit;
    private final Map<String, Entry> entries = new HashMap<>();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private int counted;

    /** One inspection, from its admission to its end. */
    static final class Inspection {
        private final Entry entry;

        private Inspection(Entry entry) {
            this.entry = entry;
        }

        String id() {
            return entry.id;
        }
    }

    private enum Stage {
        IDLE,
        WAITING,
        RUNNING,
        RUNNING_SLOW
    }

    private static final class Entry {
        private final String id;
        private Stage stage = Stage.IDLE;
        private Inspection inspection;
        private boolean dirty;
        private int failures;

        private Entry(String id) {
            this.id = id;
        }
    }

    /**
     * Creates a queue.
     *
     * @param most limit of concurrent inspections
     */
    InspectionQueue(int most) {
        this.limit = most;
    }

    void enqueue(String id) {
        Entry entry = entries.computeIfAbsent(id, Entry::new);
        if (entry.stage == Stage.IDLE) {
            addWaiting(entry);
        } else if (entry.stage != Stage.WAITING) {
            entry.dirty = true;
        }
    }

    private void addWaiting(Entry entry) {
        entry.stage = Stage.WAITING;
        waiting.add(entry);
    }

    /** Returns the inspections to start now. Each ends with {@link #succeeded} or {@link #failed}. */
    List<Inspection> admit() {
        List<Inspection> admitted = new ArrayList<>();
        while (counted < limit && !waiting.isEmpty()) {
            Entry entry = waiting.poll();
            entry.stage = Stage.RUNNING;
            entry.dirty = false;
            entry.inspection = new Inspection(entry);
            counted++;
            admitted.add(entry.inspection);
        }
        return admitted;
    }

    /** Stops counting an inspection against the limit. Returns whether it is still in progress. */
    boolean markSlow(Inspection inspection) {
        if (inspection.entry.inspection != inspection || inspection.entry.stage != Stage.RUNNING) {
            return false;
        }
        inspection.entry.stage = Stage.RUNNING_SLOW;
        counted--;
        return true;
    }

    void succeeded(Inspection inspection) {
        Entry entry = end(inspection);
        entry.failures = 0;
        if (entry.dirty) {
            addWaiting(entry);
        } else {
            entries.remove(entry.id);
        }
    }

    /**
     * Ends a failed inspection; the container waits for {@link #retry}, unless it had an event meanwhile.
     *
     * @return number of consecutive failures
     */
    int failed(Inspection inspection) {
        Entry entry = end(inspection);
        entry.failures++;
        if (entry.dirty) {
            addWaiting(entry);
        }
        return entry.failures;
    }

    private Entry end(Inspection inspection) {
        Entry entry = inspection.entry;
        if (entry.stage == Stage.RUNNING) {
            counted--;
        }
        entry.stage = Stage.IDLE;
        entry.inspection = null;
        return entry;
    }

    /** Queues the container again after its back-off. */
    void retry(String id) {
        Entry entry = entries.get(id);
        if (entry != null && entry.stage == Stage.IDLE) {
            addWaiting(entry);
        }
    }
}
