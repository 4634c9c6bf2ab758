package dev.mooring.log;

import dev.mooring.model.Event;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.crypto.AEADBadTagException;

/**
 * Reads one segment from the end of a committed batch, batch by batch. Each batch is verified as a whole before it is
 * returned. Not thread-safe; the caller closes the file.
 */
final class SegmentScanner {
    private static final int INITIAL_BUFFER = 128 << 10;
    private static final int LARGEST_READ = 1 << 20;

    private final Disk.DiskFile file;
    private final Encryption encryption;
    private final EventDecoder decoder;

    /** Bytes [bufferStart, bufferStart + buffer.limit) of the file; the batch at {@link #position} starts in it. */
    private ByteBuffer buffer = ByteBuffer.allocate(INITIAL_BUFFER).order(ByteOrder.LITTLE_ENDIAN);

    private long bufferStart;
    private LogPosition position;
    private long badOffset;
    private String problem = "";

    SegmentScanner(Disk.DiskFile file, LogPosition start, Encryption encryption) {
        this.file = file;
        this.encryption = encryption;
        this.decoder = new EventDecoder(encryption);
        this.position = start;
        this.bufferStart = start.offset();
        this.buffer.limit(0);
    }

    /** Returns the end of the last returned batch. */
    LogPosition position() {
        return position;
    }

    /** Returns why {@link #next} stopped; empty if it reached the end. */
    String problem() {
        return problem;
    }

    /** Returns the offset of the frame at which it stopped. */
    long badOffset() {
        return badOffset;
    }

    /**
     * Returns the next complete batch that ends at or before {@code limit}; empty if there is none.
     *
     * @param limit an offset in the file; nothing after it is read
     */
    Optional<Batch> next(long limit) throws IOException {
        if (!verify(limit)) {
            return Optional.empty();
        }
        try {
            return Optional.of(decodeAndAdvance());
        } catch (AEADBadTagException e) {
            badOffset = position.offset();
            problem = "a batch with an encrypted object that fails authentication";
            return Optional.empty();
        }
    }

    /** Receives the hash of a term of an event. */
    interface TermConsumer {
        void accept(long revision, int hash);
    }

    /** Skips a batch as {@link #next} does, without decoding its events. */
    boolean skip(long limit) throws IOException {
        return skip(limit, (revision, hash) -> {});
    }

    /** Skips a batch and passes the terms of its events, for building an index. */
    boolean skip(long limit, TermConsumer terms) throws IOException {
        if (!verify(limit)) {
            return false;
        }
        int at = (int) (position.offset() - bufferStart);
        while (at < commitAt) {
            decoder.terms(buffer, at, terms);
            at += SegmentFormat.padded(SegmentFormat.FRAME_HEADER + buffer.getInt(at + 4));
        }
        SegmentFormat.Commit commit = SegmentFormat.Commit.read(buffer, commitAt);
        advance(commit, buffer.getLong(lastEventAt + SegmentFormat.FRAME_HEADER + 8));
        return true;
    }

    private int commitAt;
    private int lastEventAt;
    private int events;

    /** Finds the commit frame of the batch that starts at {@link #position} and verifies the batch. */
    private boolean verify(long limit) throws IOException {
        problem = "";
        events = 0;
        long at = position.offset();
        while (true) {
            badOffset = at;
            if (!ensureBuffered(at, SegmentFormat.FRAME_HEADER, limit)) {
                return at == position.offset() ? end("") : end("the batch has no commit frame");
            }
            int local = (int) (at - bufferStart);
            int crc = buffer.getInt(local);
            int length = buffer.getInt(local + 4);
            byte kind = buffer.get(local + 8);
            if (crc == 0 && length == 0 && kind == 0) {
                return at == position.offset() ? end("") : end("the batch has no commit frame");
            }
            if (length < 0 || length > SegmentFormat.MAX_BODY) {
                return end("a frame of " + length + " bytes");
            }
            if (!ensureBuffered(at, SegmentFormat.FRAME_HEADER + length, limit)) {
                return end("a frame of " + length + " bytes that is incomplete");
            }
            local = (int) (at - bufferStart);
            if (crc != SegmentFormat.crc(buffer.slice(local + 4, SegmentFormat.FRAME_HEADER - 4 + length))) {
                return end("a frame with a wrong checksum");
            }
            if (!SegmentFormat.isKnownVersion(buffer.get(local + 9))) {
                return end("a frame of version " + buffer.get(local + 9) + ", which this version cannot read");
            }
            if (kind == SegmentFormat.KIND_COMMIT) {
                commitAt = local;
                return verifyCommit();
            }
            if (kind != SegmentFormat.KIND_EVENT) {
                return end("a frame of unknown kind " + kind);
            }
            lastEventAt = local;
            events++;
            at += SegmentFormat.padded(SegmentFormat.FRAME_HEADER + length);
        }
    }

    private boolean verifyCommit() {
        SegmentFormat.Commit commit = SegmentFormat.Commit.read(buffer, commitAt);
        int from = (int) (position.offset() - bufferStart);
        boolean fits = commit.events() == events
                && events > 0
                && commit.batchBytes() == commitAt - from
                && commit.firstRevision() == position.revision() + 1
                && commit.lastRevision() == position.revision() + events
                && commit.chain() == SegmentFormat.chain(position.chain(), buffer.slice(from, commitAt - from));
        return fits || end("a commit frame that does not match the batch before it");
    }

    private Batch decodeAndAdvance() throws EncryptionKeyException, AEADBadTagException {
        List<Event> decoded = new ArrayList<>(events);
        int at = (int) (position.offset() - bufferStart);
        while (at < commitAt) {
            decoded.add(decoder.decode(buffer, at));
            at += SegmentFormat.padded(SegmentFormat.FRAME_HEADER + buffer.getInt(at + 4));
        }
        SegmentFormat.Commit commit = SegmentFormat.Commit.read(buffer, commitAt);
        advance(commit, decoded.get(decoded.size() - 1).time().toEpochMilli());
        return new Batch(decoded, position.digest());
    }

    private void advance(SegmentFormat.Commit commit, long timeMillis) throws EncryptionKeyException {
        position = new LogPosition(
                commit.lastRevision(),
                position.segment(),
                bufferStart + commitAt + SegmentFormat.COMMIT_FRAME,
                commit.chain(),
                encryption.unmasked(commit.keyId(), commit.digest(), commit.lastRevision()),
                timeMillis);
    }

    private boolean end(String why) {
        problem = why;
        return false;
    }

    /** Returns whether bytes [at, at + count) are in the buffer, after reading more of the file if needed. */
    private boolean ensureBuffered(long at, int count, long limit) throws IOException {
        if (at + count <= bufferStart + buffer.limit()) {
            return at + count <= limit;
        }
        if (at + count > limit) {
            return false;
        }
        dropBefore(position.offset());
        int needed = (int) (at + count - bufferStart);
        if (needed > buffer.capacity()) {
            int capacity = Math.max(needed, (int) Math.min(2L * buffer.capacity(), Integer.MAX_VALUE - 64));
            ByteBuffer larger = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
            larger.put(buffer.position(0)).flip();
            buffer = larger;
        }
        int filled = buffer.limit();
        long room = Math.min(buffer.capacity() - (long) filled, limit - bufferStart - filled);
        int wanted = (int) Math.max(needed - (long) filled, Math.min(room, LARGEST_READ));
        buffer.limit(filled + wanted).position(filled);
        int read = file.read(bufferStart + filled, buffer);
        buffer.limit(filled + read).position(0);
        return needed <= buffer.limit();
    }

    private void dropBefore(long offset) {
        int done = (int) Math.min(offset - bufferStart, buffer.limit());
        if (done > 0) {
            buffer.position(done).compact().flip();
            bufferStart += done;
        }
    }
}
