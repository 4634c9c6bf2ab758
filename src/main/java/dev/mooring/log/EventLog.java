package dev.mooring.log;

import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import java.io.IOException;
import java.util.Optional;

/**
 * The append-only log of events. One thread appends (the ledger's); any number read, also while it appends.
 *
 * <p>A reader never sees what is not durable. Reads touch the disk: not for event loops.
 */
public interface EventLog extends AutoCloseable {
    /** The largest event a log takes. */
    int MAX_EVENT_BYTES = Frames.MAX_BODY;

    /** At most this many bytes does an event take in a log. */
    static long sizeBound(Event event) {
        return BatchEncoder.sizeBound(event);
    }

    /**
     * Makes a batch durable: when this returns, it survives any crash; when it throws, nobody may be told that it happened.
     *
     * @throws LogFailedException if it could not be written or synced; the log takes nothing more until it is opened anew
     */
    void append(Batch batch) throws LogFailedException;

    /**
     * Makes the log usable again after its appending thread was killed in the middle of something: reads the end of the log
     * back from the disk as at a start. Does nothing if the log is whole. A log whose disk failed stays failed.
     *
     * @throws LogFailedException if the disk had failed or fails now
     */
    void recover() throws LogFailedException;

    /** Where the durable log ends. */
    LogPosition end();

    default long lastRevision() {
        return end().revision();
    }

    /** The oldest revision whose event is still there; one more than {@link #lastRevision()} if there is none. */
    long firstRevision();

    /**
     * Reads committed batches from a revision on.
     *
     * @throws CompactedException if that revision is no longer kept
     */
    EventReader read(long fromRevision) throws IOException;

    /** Reads committed batches from a known place on, such as that of a snapshot: nothing is searched for. */
    EventReader readAfter(LogPosition position) throws IOException;

    /** The snapshots beside this log. */
    Snapshots snapshots();

    /** Why the log takes no more events, if so. */
    Optional<String> failure();

    @Override
    void close() throws IOException;
}
