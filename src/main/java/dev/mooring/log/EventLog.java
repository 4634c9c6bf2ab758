package dev.mooring.log;

import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.SearchOrder;
import java.io.IOException;
import java.util.Optional;

/**
 * The append-only log of events. One thread (the ledger's) appends; any number of threads read at the same time.
 *
 * <p>Readers see only durable events. Reads may block on the disk and must not run on event loops.
 */
public interface EventLog extends AutoCloseable {
    /** Maximum size of an event. */
    int MAX_EVENT_BYTES = SegmentFormat.MAX_BODY;

    /** Returns an upper bound of an event's size in the log. */
    static long sizeBound(Event event) {
        return BatchEncoder.sizeBound(event);
    }

    /**
     * Makes a batch durable. When this returns, the batch survives any crash; when it throws, the batch must not be
     * acknowledged.
     *
     * @throws LogFailedException if it could not be written or synced; the log accepts nothing more until it is opened
     *     again
     */
    void append(Batch batch) throws LogFailedException;

    /**
     * Recovers the log after its appending thread was killed: reads the end of the log back from disk, as at startup.
     * No-op if the log is consistent. A log whose disk failed stays failed.
     *
     * @throws LogFailedException if the disk failed before or fails now
     */
    void recover() throws LogFailedException;

    /** Returns the durable end of the log. */
    LogPosition end();

    default long lastRevision() {
        return end().revision();
    }

    /** Returns the oldest retained revision; one more than {@link #lastRevision()} if there is none. */
    long firstRevision();

    /**
     * Reads committed batches from a revision on.
     *
     * @throws CompactedException if that revision is no longer retained
     */
    EventReader read(long fromRevision) throws IOException;

    /** Reads committed batches from a known position on, such as that of a snapshot, without a search. */
    EventReader readAfter(LogPosition position) throws IOException;

    /**
     * Finds events by a term without reading the log: all retained events that have it, and rarely others. Reads the
     * index of one segment at a time.
     *
     * @param from first revision
     * @param to last revision
     */
    RevisionReader find(EventTerm term, long from, long to, SearchOrder order);

    /**
     * Returns the newest revision whose event is not later than a time; one less than {@link #firstRevision()} if all
     * retained events are later.
     */
    long revisionAt(long timeMillis) throws IOException;

    /** Returns the snapshots of this log. */
    Snapshots snapshots();

    /** Returns why the log accepts no more events; empty if it does. */
    Optional<String> failure();

    @Override
    void close() throws IOException;
}
