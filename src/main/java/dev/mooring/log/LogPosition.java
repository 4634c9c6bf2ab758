package dev.mooring.log;

/**
 * The end of a committed batch.
 *
 * @param revision the last revision before this position
 * @param segment the first revision of the segment file, which is its name
 * @param offset the byte in that file
 * @param chain the checksum over everything committed before, in which each batch includes the one before it
 * @param digest the digest of the World at {@code revision}
 * @param timeMillis the time of the event at {@code revision}
 */
public record LogPosition(long revision, long segment, long offset, int chain, long digest, long timeMillis) {
    /** The position before the first event. */
    public static final LogPosition BEGINNING = new LogPosition(0, 1, SegmentFormat.SEGMENT_HEADER, 0, 0, 0);

    public LogPosition in(long newSegment, long newOffset) {
        return new LogPosition(revision, newSegment, newOffset, chain, digest, timeMillis);
    }
}
