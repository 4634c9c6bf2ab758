package dev.mooring.log;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much history is kept. Cut off is the oldest, a segment at a time, and never what the newest two snapshots need to be gone on
 * from: should the newest turn out damaged, the one before it still works.
 *
 * @param maxAge events older than this may go; empty: age does not matter
 * @param maxBytes the oldest go while the segments take more than this; empty: size does not matter
 */
public record Retention(Optional<Duration> maxAge, OptionalLong maxBytes) {
    public static final Retention KEEP_ALL = new Retention(Optional.empty(), OptionalLong.empty());

    private static final int SNAPSHOTS_TO_RELY_ON = 2;

    public boolean keepsAll() {
        return maxAge.isEmpty() && maxBytes.isEmpty();
    }

    /** How many of the oldest segments may go now. */
    int segmentsToDrop(List<Segment> segments, List<Long> snapshots, long nowMillis) throws IOException {
        if (keepsAll() || snapshots.size() < SNAPSHOTS_TO_RELY_ON) {
            return 0;
        }
        long neededAfter = snapshots.get(snapshots.size() - SNAPSHOTS_TO_RELY_ON);
        long bytes = 0;
        for (Segment segment : segments) {
            bytes += segment.size();
        }
        int drop = 0;
        while (drop < segments.size() - 1) {
            Segment next = segments.get(drop + 1);
            boolean needed = next.firstRevision() - 1 > neededAfter;
            boolean tooLarge = maxBytes.isPresent() && bytes > maxBytes.getAsLong();
            if (needed || !(tooLarge || isTooOld(next, nowMillis))) {
                break;
            }
            bytes -= segments.get(drop).size();
            drop++;
        }
        return drop;
    }

    /** The header of a segment tells the time of the last event before it. */
    private boolean isTooOld(Segment next, long nowMillis) throws IOException {
        if (maxAge.isEmpty()) {
            return false;
        }
        try (Disk.DiskFile file = next.open()) {
            return next.start(file).timeMillis() < nowMillis - maxAge.get().toMillis();
        }
    }
}
