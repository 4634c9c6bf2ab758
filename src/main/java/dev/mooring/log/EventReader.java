package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** Iterates over the committed batches of a log. Not thread-safe. */
public interface EventReader extends Closeable {
    /**
     * Returns the next batch, with events at or after the requested revision only; empty at the durable end, though a
     * later call may return more.
     *
     * @throws LogDamagedException if a committed batch cannot be read back
     */
    Optional<Batch> next() throws IOException;
}
