package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.util.Optional;

/** Finds an object as one revision left it, by going straight to that revision in the log. */
final class PriorStates {
    private final EventLog log;

    /** Many lookups in a row go to the same snapshot. Given up when memory is short. */
    private SoftReference<World> oldest = new SoftReference<>(null);

    PriorStates(EventLog log) {
        this.log = log;
    }

    /** The object as {@code revision} wrote it, where some change names that revision as the one it replaced. */
    StoredObject find(ObjectKey key, long revision) {
        try {
            return inLog(key, revision)
                    .or(() -> inOldestSnapshot(key, revision))
                    .orElseThrow(() -> new UncheckedIOException(new CompactedException(revision, log.firstRevision())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<StoredObject> inLog(ObjectKey key, long revision) throws IOException {
        try (EventReader reader = log.read(revision)) {
            Optional<Batch> batch = reader.next();
            if (batch.isEmpty()) {
                return Optional.empty();
            }
            Event event = batch.get().events().get(0);
            return event.changes().stream()
                    .filter(change -> change.key().equals(key))
                    .map(Change::object)
                    .findFirst();
        } catch (CompactedException e) {
            return Optional.empty();
        }
    }

    /** An object that was last written before the oldest event that is kept stands in the oldest snapshot. */
    private Optional<StoredObject> inOldestSnapshot(ObjectKey key, long revision) {
        try {
            for (long candidate : log.snapshots().revisions()) {
                if (candidate >= revision) {
                    return worldAt(candidate).get(key).filter(object -> object.revision() == revision);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized World worldAt(long snapshot) throws IOException {
        World known = oldest.get();
        if (known == null || known.revision() != snapshot) {
            known = World.of(log.snapshots().load(snapshot));
            oldest = new SoftReference<>(known);
        }
        return known;
    }
}
