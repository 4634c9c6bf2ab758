package dev.mooring.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The format of a segment file. All numbers are little-endian; every frame starts at a multiple of 8.
 *
 * <pre>
 * segment   header (64 bytes) · batch · batch · … · zeros up to what is preallocated
 * header    magic "MOORLOG1" · first revision u64 · chain u32 · 0 u32 · world digest u64 · time of the revision before u64
 *           · created, ms u64 · 0 u64 · 0 u32 · crc32c u32 of the 60 bytes before
 * batch     event frame … event frame · commit frame
 * frame     crc32c u32 of all that follows but the padding · length of body u32 · kind u8 · version u8 · 0 u16 · body · padding
 * event     revision u64 · time, ms u64 · cause's revision u64 · type · actor · cause's request (each u16 length + UTF-8)
 *           · changes u16, each: kind u8 · prior revision u64 · key (u16 + UTF-8) · JSON (u32 + bytes)
 * commit    events u32 · first revision u64 · last revision u64 · bytes of the batch's event frames u64
 *           · chain u32 · world digest u64 · trailer u32
 * </pre>
 *
 * <p>Why a crash at any byte is survived: a batch counts only if its commit frame is whole, and the commit frame vouches for every
 * byte of its batch through the <em>chain</em>, the CRC32C over the previous commit's chain and the batch's bytes. A batch is
 * written, then synced, then acknowledged; the next one is not written before that. So at most the last batch can be
 * incomplete after a crash, and it was not acknowledged. The chain runs on through the headers of the segments: a missing,
 * swapped or stale piece breaks it. Frame kind 0 is no frame, so preallocated zeros read as the end.
 *
 * <p>The commit's trailer has no zero byte: a commit frame that was cut off is told from one in which a bit flipped.
 */
final class Frames {
    static final long SEGMENT_MAGIC = ByteBuffer.wrap(new byte[] {'M', 'O', 'O', 'R', 'L', 'O', 'G', '1'})
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    static final int SEGMENT_HEADER = 64;

    static final int FRAME_HEADER = 12;
    static final int ALIGNMENT = 8;
    static final byte VERSION = 1;
    static final byte KIND_EVENT = 1;
    static final byte KIND_COMMIT = 2;

    static final int COMMIT_BODY = 44;
    static final int COMMIT_FRAME = FRAME_HEADER + COMMIT_BODY;
    static final int COMMIT_TRAILER = 0x3a5c_a56b;

    /** A change of many objects at once, each as large as the API lets in (3 MiB), stays below. More is not a record but a mistake. */
    static final int MAX_BODY = 32 << 20;

    private Frames() {}

    static int padded(int size) {
        return (size + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The chain after a batch. */
    static int chain(int before, ByteBuffer batch) {
        CRC32C crc = new CRC32C();
        crc.update(before);
        crc.update(before >>> 8);
        crc.update(before >>> 16);
        crc.update(before >>> 24);
        crc.update(batch);
        return (int) crc.getValue();
    }

    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    static ByteBuffer segmentHeader(LogPosition end, long createdMillis) {
        ByteBuffer header = ByteBuffer.allocate(SEGMENT_HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(SEGMENT_MAGIC)
                .putLong(end.revision() + 1)
                .putInt(end.chain())
                .putInt(0);
        header.putLong(end.digest())
                .putLong(end.timeMillis())
                .putLong(createdMillis)
                .putLong(0)
                .putInt(0);
        header.putInt(crc(header.duplicate().flip()));
        return header.flip();
    }

    /**
     * Where the segment starts, read from its header.
     *
     * @throws LogDamagedException if the header is not whole or belongs to another segment
     */
    static LogPosition readSegmentHeader(ByteBuffer bytes, String file, long firstRevision) throws LogDamagedException {
        ByteBuffer header = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (header.remaining() < SEGMENT_HEADER) {
            throw new LogDamagedException(file, 0, firstRevision, "the file is shorter than a segment header");
        }
        if (header.getLong(0) != SEGMENT_MAGIC) {
            throw new LogDamagedException(file, 0, firstRevision, "this is not a segment that this version can read");
        }
        if (header.getInt(SEGMENT_HEADER - 4) != crc(header.slice(0, SEGMENT_HEADER - 4))) {
            throw new LogDamagedException(file, 0, firstRevision, "the checksum of the segment header is wrong");
        }
        if (header.getLong(8) != firstRevision) {
            throw new LogDamagedException(
                    file, 0, firstRevision, "the header says it starts with revision " + header.getLong(8));
        }
        return new LogPosition(
                firstRevision - 1,
                firstRevision,
                SEGMENT_HEADER,
                header.getInt(16),
                header.getLong(24),
                header.getLong(32));
    }

    /** What a commit frame says of its batch. */
    record Commit(int events, long firstRevision, long lastRevision, long batchBytes, int chain, long digest) {
        static Commit read(ByteBuffer frame, int at) {
            int body = at + FRAME_HEADER;
            return new Commit(
                    frame.getInt(body),
                    frame.getLong(body + 4),
                    frame.getLong(body + 12),
                    frame.getLong(body + 20),
                    frame.getInt(body + 28),
                    frame.getLong(body + 32));
        }

        void write(ByteBuffer out) {
            int start = out.position();
            out.putInt(0).putInt(COMMIT_BODY).put(KIND_COMMIT).put(VERSION).putShort((short) 0);
            out.putInt(events).putLong(firstRevision).putLong(lastRevision).putLong(batchBytes);
            out.putInt(chain).putLong(digest).putInt(COMMIT_TRAILER);
            out.putInt(start, crc(out.slice(start + 4, COMMIT_FRAME - 4)));
        }
    }

    /** Whether a whole, undamaged commit frame stands at this place. */
    static boolean isCommit(ByteBuffer bytes, int at) {
        return at + COMMIT_FRAME <= bytes.limit()
                && bytes.get(at + 8) == KIND_COMMIT
                && bytes.getInt(at + 4) == COMMIT_BODY
                && bytes.getInt(at + COMMIT_FRAME - 4) == COMMIT_TRAILER
                && bytes.getInt(at) == crc(bytes.slice(at + 4, COMMIT_FRAME - 4));
    }
}
