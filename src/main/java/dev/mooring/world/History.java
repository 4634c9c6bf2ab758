package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Snapshot;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The World as it was at any revision that is kept. What it returns is a World like the live one.
 *
 * <p>A recent revision is reached backwards, by taking back the events since, which are still in memory: that costs what has changed since. An
 * older one is reached forwards from the newest snapshot before it. A few past worlds are remembered, because who looks at one
 * looks again. Thread-safe; may touch the disk.
 */
public final class History {
    /** Enough for a few people paging through lists and one moving a slider; each may hold objects nobody else holds. */
    private static final int REMEMBERED = 4;

    private final EventLog log;
    private final Ledger ledger;
    private final WatchHub hub;
    private final Map<Long, World> remembered = new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, World> eldest) {
            return size() > REMEMBERED;
        }
    };

    public History(EventLog log, Ledger ledger, WatchHub hub) {
        this.log = log;
        this.ledger = ledger;
        this.hub = hub;
    }

    /**
     * The world right after an event.
     *
     * @throws CompactedException if it is no longer kept
     * @throws IllegalArgumentException if it has not happened yet
     */
    public World at(long revision) throws IOException {
        World live = ledger.world();
        if (revision == live.revision()) {
            return live;
        }
        if (revision < 0 || revision > live.revision()) {
            throw new IllegalArgumentException(
                    "Expected a revision from 0 to " + live.revision() + ", which is now, but found " + revision);
        }
        Optional<World> known = recall(revision).or(() -> backwards(live, revision));
        World world = known.isPresent() ? known.get() : forwards(revision);
        synchronized (remembered) {
            remembered.put(revision, world);
        }
        return world;
    }

    /** The oldest revision that can be looked at. */
    public long oldest() throws IOException {
        long first = log.firstRevision();
        if (first == 1) {
            return 0;
        }
        return log.snapshots().revisions().stream()
                .filter(snapshot -> snapshot >= first - 1)
                .findFirst()
                .orElse(ledger.world().revision());
    }

    private Optional<World> recall(long revision) {
        synchronized (remembered) {
            return Optional.ofNullable(remembered.get(revision));
        }
    }

    private Optional<World> backwards(World live, long revision) {
        World.Editor editor = live.edit();
        for (long undone = live.revision(); undone > revision; undone--) {
            Optional<WorldEvent> event = hub.recent(undone);
            if (event.isEmpty()) {
                return Optional.empty();
            }
            editor.undo(event.get().event(), event.get().replaced());
        }
        return Optional.of(editor.done());
    }

    private World forwards(long revision) throws IOException {
        Optional<Snapshot> snapshot = log.snapshots().newestUpTo(revision);
        World start = snapshot.map(World::of).orElse(World.EMPTY);
        if (start.revision() + 1 < log.firstRevision() && start.revision() != revision) {
            throw new CompactedException(revision, oldest());
        }
        World.Editor editor = start.editMany();
        LogPosition from = snapshot.map(Snapshot::position).orElse(LogPosition.BEGINNING);
        try (EventReader reader = log.readAfter(from)) {
            while (editor.revision() < revision) {
                Batch batch = reader.next().orElseThrow(() -> new CompactedException(revision, log.firstRevision()));
                for (Event event : batch.events()) {
                    if (event.revision() <= revision) {
                        editor.apply(event);
                    }
                }
            }
        }
        return editor.done();
    }
}
