package dev.mooring.log;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much history is kept. The oldest segments are removed first, but never one that the newest two snapshots need for
 * replay: if the newest is damaged, the one before it still works.
 *
 * @param maxAge events older than this may be removed; empty for no age limit
 * @param maxBytes the oldest segments are removed while the total size exceeds this; empty for no size limit
 */
public record Retention(Optional<Duration> maxAge, OptionalLong maxBytes) {
    public static final Retention KEEP_ALL = new Retention(Optional.empty(), OptionalLong.empty());

    private static final int SNAPSHOTS_TO_RELY_ON = 2;

    public boolean keepsAll() {
        return maxAge.isEmpty() && maxBytes.isEmpty();
    }

    /** Returns how many of the oldest segments may be removed now. */
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

    /** Returns whether all events before a segment are too old; its header has the time of the last event before it. */
    private boolean isTooOld(Segment next, long nowMillis) throws IOException {
        if (maxAge.isEmpty()) {
            return false;
        }
        try (Disk.DiskFile file = next.open()) {
            return next.start(file).timeMillis() < nowMillis - maxAge.get().toMillis();
        }
    }
}
