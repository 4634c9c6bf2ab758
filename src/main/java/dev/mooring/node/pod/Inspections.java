package dev.mooring.node.pod;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose turn it is to be looked at, of the containers that something has happened to: one look at a time for each, so many at once, first come first
 * served. A look that takes long does not count any more, so those that hang keep nobody waiting. What happens during a look, or could not be seen, is
 * looked at again. Knows neither time nor threads. For one thread at a time; the link's lock sees to that.
 */
final class Inspections {
    private final int most;
    private final Map<String, Entry> entries = new HashMap<>();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private int counted;

    /** One look, from its turn to its end. */
    static final class Look {
        private final Entry entry;

        private Look(Entry entry) {
            this.entry = entry;
        }

        String id() {
            return entry.id;
        }
    }

    private enum Stage {
        RESTING,
        WAITING,
        UNDER_WAY,
        UNDER_WAY_FOR_LONG
    }

    private static final class Entry {
        private final String id;
        private Stage stage = Stage.RESTING;
        private Look look;
        private boolean again;
        private int failures;

        private Entry(String id) {
            this.id = id;
        }
    }

    /** @param most how many at once */
    Inspections(int most) {
        this.most = most;
    }

    void happened(String id) {
        Entry entry = entries.computeIfAbsent(id, Entry::new);
        if (entry.stage == Stage.RESTING) {
            await(entry);
        } else if (entry.stage != Stage.WAITING) {
            entry.again = true;
        }
    }

    private void await(Entry entry) {
        entry.stage = Stage.WAITING;
        waiting.add(entry);
    }

    /** Those whose turn it is now. Each ends with {@link #seen} or {@link #unseen}. */
    List<Look> admit() {
        List<Look> admitted = new ArrayList<>();
        while (counted < most && !waiting.isEmpty()) {
            Entry entry = waiting.poll();
            entry.stage = Stage.UNDER_WAY;
            entry.again = false;
            entry.look = new Look(entry);
            counted++;
            admitted.add(entry.look);
        }
        return admitted;
    }

    /** Returns whether it is still under way; then it counts no longer. */
    boolean takesLong(Look look) {
        if (look.entry.look != look || look.entry.stage != Stage.UNDER_WAY) {
            return false;
        }
        look.entry.stage = Stage.UNDER_WAY_FOR_LONG;
        counted--;
        return true;
    }

    void seen(Look look) {
        Entry entry = end(look);
        entry.failures = 0;
        if (entry.again) {
            await(entry);
        } else {
            entries.remove(entry.id);
        }
    }

    /**
     * It rests until {@link #tryAgain}, unless something has happened to it meanwhile.
     *
     * @return how many times in a row
     */
    int unseen(Look look) {
        Entry entry = end(look);
        entry.failures++;
        if (entry.again) {
            await(entry);
        }
        return entry.failures;
    }

    private Entry end(Look look) {
        Entry entry = look.entry;
        if (entry.stage == Stage.UNDER_WAY) {
            counted--;
        }
        entry.stage = Stage.RESTING;
        entry.look = null;
        return entry;
    }

    /** It has rested. */
    void tryAgain(String id) {
        Entry entry = entries.get(id);
        if (entry != null && entry.stage == Stage.RESTING) {
            await(entry);
        }
    }
}
