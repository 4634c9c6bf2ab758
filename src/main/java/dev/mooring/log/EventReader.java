package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** A walk along the committed batches of a log. For one thread. */
public interface EventReader extends Closeable {
    /**
     * The next batch, its events at or after the revision asked for; nothing when the durable end is reached, though a later
     * call may find more.
     *
     * @throws LogDamagedException if what was committed cannot be read back as it was
     */
    Optional<Batch> next() throws IOException;
}
