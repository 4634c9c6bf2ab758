package dev.mooring.log;

import dev.mooring.model.Event;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Walks along one segment from the end of a committed batch, batch by batch. Each batch is verified as a whole before any of it is
 * handed out. For one thread; the file stays the caller's.
 */
final class SegmentScanner {
    private static final int INITIAL_BUFFER = 128 << 10;
    private static final int LARGEST_READ = 1 << 20;

    private final Disk.DiskFile file;
    private final EventDecoder decoder = new EventDecoder();

    /** Bytes [bufferStart, bufferStart + buffer.limit) of the file; the batch at {@link #position} starts in it. */
    private ByteBuffer buffer = ByteBuffer.allocate(INITIAL_BUFFER).order(ByteOrder.LITTLE_ENDIAN);

    private long bufferStart;
    private LogPosition position;
    private long badOffset;
    private String problem = "";

    SegmentScanner(Disk.DiskFile file, LogPosition start) {
        this.file = file;
        this.position = start;
        this.bufferStart = start.offset();
        this.buffer.limit(0);
    }

    /** The end of the last batch that was handed out. */
    LogPosition position() {
        return position;
    }

    /** Why {@link #next} stopped; empty if it simply came to the end. */
    String problem() {
        return problem;
    }

    /** The frame at which it stopped. */
    long badOffset() {
        return badOffset;
    }

    /**
     * The next whole batch that ends at or before {@code limit}, or nothing.
     *
     * @param limit an offset in the file; what lies behind it is not looked at
     */
    Optional<Batch> next(long limit) throws IOException {
        if (!verify(limit)) {
            return Optional.empty();
        }
        return Optional.of(decodeAndAdvance());
    }

    /** As {@link #next}, without handing the events out: for building an index. */
    boolean skip(long limit) throws IOException {
        if (!verify(limit)) {
            return false;
        }
        Frames.Commit commit = Frames.Commit.read(buffer, commitAt);
        advance(commit, buffer.getLong(lastEventAt + Frames.FRAME_HEADER + 8));
        return true;
    }

    private int commitAt;
    private int lastEventAt;
    private int events;

    /** Finds the commit frame of the batch that starts at {@link #position} and checks all of it. */
    private boolean verify(long limit) throws IOException {
        problem = "";
        events = 0;
        long at = position.offset();
        while (true) {
            badOffset = at;
            if (!have(at, Frames.FRAME_HEADER, limit)) {
                return at == position.offset() ? end("") : end("the batch has no commit frame");
            }
            int local = (int) (at - bufferStart);
            int crc = buffer.getInt(local);
            int length = buffer.getInt(local + 4);
            byte kind = buffer.get(local + 8);
            if (crc == 0 && length == 0 && kind == 0) {
                return at == position.offset() ? end("") : end("the batch has no commit frame");
            }
            if (length < 0 || length > Frames.MAX_BODY) {
                return end("a frame of " + length + " bytes");
            }
            if (!have(at, Frames.FRAME_HEADER + length, limit)) {
                return end("a frame of " + length + " bytes that is not all there");
            }
            local = (int) (at - bufferStart);
            if (crc != Frames.crc(buffer.slice(local + 4, Frames.FRAME_HEADER - 4 + length))) {
                return end("a frame with a wrong checksum");
            }
            if (buffer.get(local + 9) != Frames.VERSION) {
                return end("a frame of version " + buffer.get(local + 9) + ", which this version cannot read");
            }
            if (kind == Frames.KIND_COMMIT) {
                commitAt = local;
                return verifyCommit();
            }
            if (kind != Frames.KIND_EVENT) {
                return end("a frame of unknown kind " + kind);
            }
            lastEventAt = local;
            events++;
            at += Frames.padded(Frames.FRAME_HEADER + length);
        }
    }

    private boolean verifyCommit() {
        Frames.Commit commit = Frames.Commit.read(buffer, commitAt);
        int from = (int) (position.offset() - bufferStart);
        boolean fits = commit.events() == events
                && events > 0
                && commit.batchBytes() == commitAt - from
                && commit.firstRevision() == position.revision() + 1
                && commit.lastRevision() == position.revision() + events
                && commit.chain() == Frames.chain(position.chain(), buffer.slice(from, commitAt - from));
        return fits || end("a commit frame that does not belong to what stands before it");
    }

    private Batch decodeAndAdvance() {
        List<Event> decoded = new ArrayList<>(events);
        int at = (int) (position.offset() - bufferStart);
        while (at < commitAt) {
            decoded.add(decoder.decode(buffer, at));
            at += Frames.padded(Frames.FRAME_HEADER + buffer.getInt(at + 4));
        }
        Frames.Commit commit = Frames.Commit.read(buffer, commitAt);
        advance(commit, decoded.get(decoded.size() - 1).time().toEpochMilli());
        return new Batch(decoded, commit.digest());
    }

    private void advance(Frames.Commit commit, long timeMillis) {
        position = new LogPosition(
                commit.lastRevision(),
                position.segment(),
                bufferStart + commitAt + Frames.COMMIT_FRAME,
                commit.chain(),
                commit.digest(),
                timeMillis);
    }

    private boolean end(String why) {
        problem = why;
        return false;
    }

    /** Whether bytes [at, at + count) are in the buffer, reading more of the file if need be. */
    private boolean have(long at, int count, long limit) throws IOException {
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
