package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Classifies the bytes after the last complete batch of a segment: nothing, the torn rest of a batch that was never
 * acknowledged, or a damaged batch that was acknowledged. The first two are harmless; the third must not be truncated.
 *
 * <p>A crash can leave the following of a batch, given that the space was filled with zeros before: a prefix (the
 * process was killed inside {@code write}), or any subset of its sectors (the power failed before the sync returned).
 * So the batch is torn if it ends early or if a whole sector of it is zero. If it is complete and yet invalid, or a
 * later batch was committed after it, it is damaged.
 */
final class TailClassifier {
    /** The smallest unit that a disk writes atomically. */
    private static final int SECTOR = 512;

    private static final int CHUNK = 1 << 20;

    /**
     * How many of the five marks of a commit frame must match for a frame to count as a damaged commit; a flipped bit
     * affects one.
     */
    private static final int MARKS_OF_A_COMMIT = 3;

    /** The classification of a tail. */
    enum TailState {
        CLEAN,
        TORN,
        DAMAGED
    }

    private TailClassifier() {}

    /**
     * @param file the segment
     * @param end the end of its last complete batch
     * @param badOffset the frame that could not be read, at or after {@code end}
     */
    static TailState classify(Disk.DiskFile file, LogPosition end, long badOffset) throws IOException {
        ByteBuffer tail = nonZeroPart(file, end.offset());
        if (tail.limit() == 0) {
            return TailState.CLEAN;
        }
        int bad = (int) (badOffset - end.offset());
        for (int at = 0; at + SegmentFormat.COMMIT_FRAME <= tail.limit(); at += SegmentFormat.ALIGNMENT) {
            if (SegmentFormat.isCommit(tail, at)
                    && SegmentFormat.Commit.read(tail, at).lastRevision() > end.revision()) {
                boolean itsOwn = SegmentFormat.Commit.read(tail, at).batchBytes() == at;
                boolean torn = itsOwn && hasZeroSector(tail, end.offset(), at + SegmentFormat.COMMIT_FRAME);
                return torn ? TailState.TORN : TailState.DAMAGED;
            }
        }
        return classifyWithoutCommit(tail, end, bad);
    }

    private static TailState classifyWithoutCommit(ByteBuffer tail, LogPosition end, int bad) {
        boolean nothingThere =
                bad + SegmentFormat.FRAME_HEADER >= tail.limit() || isZero(tail, bad, SegmentFormat.FRAME_HEADER);
        if (nothingThere || hasZeroSector(tail, end.offset(), tail.limit())) {
            return TailState.TORN;
        }
        if (bad + SegmentFormat.COMMIT_FRAME == tail.limit() && looksLikeCommit(tail, bad, end.revision() + 1)) {
            return TailState.DAMAGED;
        }
        int length = tail.getInt(bad + 4);
        boolean cutOff = length >= 0
                && length <= SegmentFormat.MAX_BODY
                && (long) bad + SegmentFormat.FRAME_HEADER + length > tail.limit();
        return cutOff ? TailState.TORN : TailState.DAMAGED;
    }

    private static boolean looksLikeCommit(ByteBuffer tail, int at, long firstRevision) {
        int marks = 0;
        marks += tail.getInt(at + 4) == SegmentFormat.COMMIT_BODY ? 1 : 0;
        marks += tail.get(at + 8) == SegmentFormat.KIND_COMMIT ? 1 : 0;
        marks += SegmentFormat.isKnownVersion(tail.get(at + 9)) ? 1 : 0;
        marks += tail.getLong(at + SegmentFormat.FRAME_HEADER + 4) == firstRevision ? 1 : 0;
        marks += tail.getInt(at + SegmentFormat.COMMIT_FRAME - 4) == SegmentFormat.COMMIT_TRAILER ? 1 : 0;
        return marks >= MARKS_OF_A_COMMIT;
    }

    /** Returns whether one of the sectors that contain bytes [0, length) of the tail is all zero. */
    private static boolean hasZeroSector(ByteBuffer tail, long tailOffset, int length) {
        int at = 0;
        while (at < length) {
            int next = (int) Math.min(length, at + SECTOR - (tailOffset + at) % SECTOR);
            boolean longEnoughToTell = next - at >= SegmentFormat.ALIGNMENT;
            if (longEnoughToTell && isZero(tail, at, next - at)) {
                return true;
            }
            at = next;
        }
        return false;
    }

    private static boolean isZero(ByteBuffer bytes, int at, int count) {
        for (int i = at; i < at + count; i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the bytes from an offset up to the last non-zero byte. */
    private static ByteBuffer nonZeroPart(Disk.DiskFile file, long from) throws IOException {
        long size = file.size();
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        long end = size;
        while (end > from) {
            long start = Math.max(from, end - CHUNK);
            chunk.clear().limit((int) (end - start));
            int read = file.read(start, chunk);
            int last = read - 1;
            while (last >= 0 && chunk.get(last) == 0) {
                last--;
            }
            if (last >= 0) {
                end = start + last + 1;
                break;
            }
            end = start;
        }
        ByteBuffer part = ByteBuffer.allocate((int) Math.max(0, end - from)).order(ByteOrder.LITTLE_ENDIAN);
        file.read(from, part);
        return part.flip();
    }
}
