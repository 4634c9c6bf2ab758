package dev.mooring.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The format of a segment file. All numbers are little-endian; every frame starts at a multiple of 8.
 *
 * <pre>
 * segment   header (64 bytes) · batch · batch · … · zeros up to the preallocated size
 * header    magic "MOORLOG1" · first revision u64 · chain u32 · key mark u32 · world digest u64 · time of the revision before u64
 *           · created, ms u64 · 0 u64 · 0 u32 · crc32c u32 of the 60 bytes before
 * batch     event frame … event frame · commit frame
 * frame     crc32c u32 of everything after it except the padding · length of body u32 · kind u8 · version u8 · key id u16 · body · padding
 * event     revision u64 · time, ms u64 · cause's revision u64 · type · actor · cause's request (each u16 length + UTF-8)
 *           · changes u16, each: kind u8 · prior revision u64 · key (u16 + UTF-8) · JSON (u32 + bytes)
 * commit    events u32 · first revision u64 · last revision u64 · bytes of the batch's event frames u64
 *           · chain u32 · world digest u64 · trailer u32
 * </pre>
 *
 * <p>Version 2 of an event has an encoding u8 before each JSON: 0 for plain, 1 for encrypted by {@link Encryption}. It is written only
 * if a JSON in it is encrypted. Version 2 of a commit, and a header with a key mark, hold the digest masked by that key. Without
 * encryption everything is of version 1, and marks and ids are 0.
 *
 * <p>Why a crash at any byte is survived: a batch is valid only if its commit frame is complete, and the commit frame covers every
 * byte of its batch through the <em>chain</em>, the CRC32C over the previous commit's chain and the batch's bytes. A batch is
 * written, then synced, then acknowledged; the next one is not written before that. So at most the last batch can be
 * incomplete after a crash, and it was not acknowledged. The chain continues through the headers of the segments: a missing,
 * swapped or stale piece breaks it. Frame kind 0 is no frame, so preallocated zeros read as the end.
 *
 * <p>The commit's trailer has no zero byte: so a truncated commit frame can be distinguished from one with a flipped bit.
 */
final class SegmentFormat {
    static final long SEGMENT_MAGIC = ByteBuffer.wrap(new byte[] {'M', 'O', 'O', 'R', 'L', 'O', 'G', '1'})
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    static final int SEGMENT_HEADER = 64;

    static final int FRAME_HEADER = 12;
    static final int ALIGNMENT = 8;
    static final byte VERSION = 1;
    static final byte VERSION_ENCRYPTED = 2;
    static final byte IN_CLEAR = 0;
    static final byte ENCRYPTED = 1;
    static final byte KIND_EVENT = 1;
    static final byte KIND_COMMIT = 2;

    static final int COMMIT_BODY = 44;
    static final int COMMIT_FRAME = FRAME_HEADER + COMMIT_BODY;
    static final int COMMIT_TRAILER = 0x3a5c_a56b;

    /**
     * Maximum body size. A change of many objects, each at the API's limit of 3 MiB, is smaller; a larger body is an
     * error.
     */
    static final int MAX_BODY = 32 << 20;

    private SegmentFormat() {}

    static int padded(int size) {
        return (size + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Returns the chain after a batch. */
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

    static ByteBuffer segmentHeader(LogPosition end, long createdMillis, Encryption encryption) {
        ByteBuffer header = ByteBuffer.allocate(SEGMENT_HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(SEGMENT_MAGIC)
                .putLong(end.revision() + 1)
                .putInt(end.chain())
                .putInt(encryption.keyMark());
        header.putLong(encryption.masked(end.digest(), end.revision()))
                .putLong(end.timeMillis())
                .putLong(createdMillis)
                .putLong(0)
                .putInt(0);
        header.putInt(crc(header.duplicate().flip()));
        return header.flip();
    }

    /**
     * Reads the start position from a segment's header.
     *
     * @throws LogDamagedException if the header is incomplete or belongs to another segment
     */
    static LogPosition readSegmentHeader(ByteBuffer bytes, String file, long firstRevision, Encryption encryption)
            throws LogDamagedException, EncryptionKeyException {
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
                    file, 0, firstRevision, "the first revision in the header is " + header.getLong(8));
        }
        return new LogPosition(
                firstRevision - 1,
                firstRevision,
                SEGMENT_HEADER,
                header.getInt(16),
                encryption.unmasked(encryption.requireKey(header.getInt(20)), header.getLong(24), firstRevision - 1),
                header.getLong(32));
    }

    /** Returns the key mark in the header of a segment; 0 if there is none, or the header is damaged. */
    static int keyMark(ByteBuffer bytes) {
        ByteBuffer header = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        boolean whole = header.remaining() == SEGMENT_HEADER
                && header.getLong(0) == SEGMENT_MAGIC
                && header.getInt(SEGMENT_HEADER - 4) == crc(header.slice(0, SEGMENT_HEADER - 4));
        return whole ? header.getInt(20) : 0;
    }

    static boolean isKnownVersion(byte version) {
        return version == VERSION || version == VERSION_ENCRYPTED;
    }

    /**
     * The content of a commit frame.
     *
     * @param digest as stored
     * @param keyId the key it is masked with, or 0
     */
    record Commit(
            int events, long firstRevision, long lastRevision, long batchBytes, int chain, long digest, int keyId) {
        static Commit read(ByteBuffer frame, int at) {
            int body = at + FRAME_HEADER;
            return new Commit(
                    frame.getInt(body),
                    frame.getLong(body + 4),
                    frame.getLong(body + 12),
                    frame.getLong(body + 20),
                    frame.getInt(body + 28),
                    frame.getLong(body + 32),
                    frame.getShort(at + 10) & 0xffff);
        }

        void write(ByteBuffer out) {
            int start = out.position();
            out.putInt(0).putInt(COMMIT_BODY).put(KIND_COMMIT);
            out.put(keyId == 0 ? VERSION : VERSION_ENCRYPTED).putShort((short) keyId);
            out.putInt(events).putLong(firstRevision).putLong(lastRevision).putLong(batchBytes);
            out.putInt(chain).putLong(digest).putInt(COMMIT_TRAILER);
            out.putInt(start, crc(out.slice(start + 4, COMMIT_FRAME - 4)));
        }
    }

    /** Returns whether there is a complete, undamaged commit frame at this offset. */
    static boolean isCommit(ByteBuffer bytes, int at) {
        return at + COMMIT_FRAME <= bytes.limit()
                && bytes.get(at + 8) == KIND_COMMIT
                && bytes.getInt(at + 4) == COMMIT_BODY
                && bytes.getInt(at + COMMIT_FRAME - 4) == COMMIT_TRAILER
                && bytes.getInt(at) == crc(bytes.slice(at + 4, COMMIT_FRAME - 4));
    }
}
