package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decides what the bytes behind the last whole batch of a segment are: nothing, the torn rest of a batch that was never
 * acknowledged, or a batch that was acknowledged and is damaged. The first two are harmless; the third must not be cut off.
 *
 * <p>What a crash can leave of a batch, given that the space was filled with zeros before: a prefix of it (the process was killed
 * inside {@code write}), or any subset of its sectors (the power failed before the sync returned). So the batch is torn if
 * it ends early or if a whole sector of it is zero. If it is all there and yet wrong, or a later batch was committed after it, a
 * bit has flipped.
 */
final class TailJudge {
    /** The smallest unit that a disk writes as a whole. */
    private static final int SECTOR = 512;

    private static final int CHUNK = 1 << 20;

    /** How many of the five marks of a commit frame must be there to take a frame for a damaged one: a flipped bit spoils one. */
    private static final int MARKS_OF_A_COMMIT = 3;

    /** What the tail is. */
    enum Verdict {
        CLEAN,
        TORN,
        DAMAGED
    }

    private TailJudge() {}

    /**
     * @param file the segment
     * @param end the end of its last whole batch
     * @param badOffset the frame that could not be read, at or after {@code end}
     */
    static Verdict judge(Disk.DiskFile file, LogPosition end, long badOffset) throws IOException {
        ByteBuffer tail = nonZeroPart(file, end.offset());
        if (tail.limit() == 0) {
            return Verdict.CLEAN;
        }
        int bad = (int) (badOffset - end.offset());
        for (int at = 0; at + Frames.COMMIT_FRAME <= tail.limit(); at += Frames.ALIGNMENT) {
            if (Frames.isCommit(tail, at) && Frames.Commit.read(tail, at).lastRevision() > end.revision()) {
                boolean itsOwn = Frames.Commit.read(tail, at).batchBytes() == at;
                boolean torn = itsOwn && hasZeroSector(tail, end.offset(), at + Frames.COMMIT_FRAME);
                return torn ? Verdict.TORN : Verdict.DAMAGED;
            }
        }
        return judgeWithoutCommit(tail, end, bad);
    }

    private static Verdict judgeWithoutCommit(ByteBuffer tail, LogPosition end, int bad) {
        boolean nothingThere = bad + Frames.FRAME_HEADER >= tail.limit() || isZero(tail, bad, Frames.FRAME_HEADER);
        if (nothingThere || hasZeroSector(tail, end.offset(), tail.limit())) {
            return Verdict.TORN;
        }
        if (bad + Frames.COMMIT_FRAME == tail.limit() && looksLikeCommit(tail, bad, end.revision() + 1)) {
            return Verdict.DAMAGED;
        }
        int length = tail.getInt(bad + 4);
        boolean cutOff =
                length >= 0 && length <= Frames.MAX_BODY && (long) bad + Frames.FRAME_HEADER + length > tail.limit();
        return cutOff ? Verdict.TORN : Verdict.DAMAGED;
    }

    private static boolean looksLikeCommit(ByteBuffer tail, int at, long firstRevision) {
        int marks = 0;
        marks += tail.getInt(at + 4) == Frames.COMMIT_BODY ? 1 : 0;
        marks += tail.get(at + 8) == Frames.KIND_COMMIT ? 1 : 0;
        marks += tail.get(at + 9) == Frames.VERSION ? 1 : 0;
        marks += tail.getLong(at + Frames.FRAME_HEADER + 4) == firstRevision ? 1 : 0;
        marks += tail.getInt(at + Frames.COMMIT_FRAME - 4) == Frames.COMMIT_TRAILER ? 1 : 0;
        return marks >= MARKS_OF_A_COMMIT;
    }

    /** Whether one of the sectors that bytes [0, length) of the tail lie in holds nothing of them. */
    private static boolean hasZeroSector(ByteBuffer tail, long tailOffset, int length) {
        int at = 0;
        while (at < length) {
            int next = (int) Math.min(length, at + SECTOR - (tailOffset + at) % SECTOR);
            boolean longEnoughToTell = next - at >= Frames.ALIGNMENT;
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

    /** The bytes from an offset up to the last one that is not zero. */
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
