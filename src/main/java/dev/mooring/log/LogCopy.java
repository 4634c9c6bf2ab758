package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/**
 * Copies the batches that a {@link LogInspector} visits into a new log, up to the first damage; later batches would not
 * be contiguous.
 */
public final class LogCopy implements LogInspector.Visitor, Closeable {
    private final FileEventLog target;
    private boolean damaged;

    private LogCopy(FileEventLog target) {
        this.target = target;
    }

    /** @param directory must contain no log, or an empty one */
    public static LogCopy into(Disk disk, Path directory, long segmentBytes, Clock clock, Encryption encryption)
            throws IOException {
        return new LogCopy(FileEventLog.open(disk, directory, segmentBytes, clock, encryption, Replay.IGNORE));
    }

    @Override
    public boolean batch(Batch batch, LogPosition end) throws IOException {
        if (!damaged) {
            target.append(batch);
        }
        return !damaged;
    }

    @Override
    public void damage(LogDamagedException damage) {
        damaged = true;
    }

    /** Returns the last copied revision. */
    public long lastRevision() {
        return target.lastRevision();
    }

    @Override
    public void close() throws IOException {
        target.close();
    }
}
