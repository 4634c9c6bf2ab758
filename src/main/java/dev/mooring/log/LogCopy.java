package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** Writes what a {@link LogInspector} walks over into a new log, up to the first damage: what comes behind it does not continue what comes before. */
public final class LogCopy implements LogInspector.Visitor, Closeable {
    private final FileEventLog target;
    private boolean damaged;

    private LogCopy(FileEventLog target) {
        this.target = target;
    }

    /** @param directory must hold no log yet, or an empty one */
    public static LogCopy into(Disk disk, Path directory, long segmentBytes, Clock clock) throws IOException {
        return new LogCopy(FileEventLog.open(disk, directory, segmentBytes, clock, Replay.IGNORE));
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

    /** The last revision that was copied. */
    public long lastRevision() {
        return target.lastRevision();
    }

    @Override
    public void close() throws IOException {
        target.close();
    }
}
