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
import java.util.Optional;

/** Reads an object as written by a given revision, by seeking to that revision in the log. */
final class PriorStates {
    private static final History.Reader WATCHES = new History.Reader("watches", false);

    private final EventLog log;

    private volatile History history;

    PriorStates(EventLog log) {
        this.log = log;
    }

    void setHistory(History past) {
        history = past;
    }

    /** Returns the object as {@code revision} wrote it. The revision must be the prior revision of some change. */
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

    /** Finds an object that was last written before the oldest retained event in the oldest snapshot. */
    private Optional<StoredObject> inOldestSnapshot(ObjectKey key, long revision) {
        try {
            for (long candidate : log.snapshots().revisions()) {
                if (candidate >= revision) {
                    return history.at(candidate, WATCHES).get(key).filter(object -> object.revision() == revision);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
