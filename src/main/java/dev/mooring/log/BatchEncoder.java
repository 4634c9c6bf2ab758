package dev.mooring.log;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Turns batches into bytes, in one buffer that is used again and again. For the appending thread only.
 *
 * @see Frames the format
 */
final class BatchEncoder {
    private static final int INITIAL = 64 << 10;

    /** A buffer that a rare large batch has blown up beyond this is given back. */
    private static final int KEEP_AT_MOST = 4 << 20;

    private static final byte CODE_PUT = 1;
    private static final byte CODE_REMOVED = 2;
    private static final int CHANGE_OVERHEAD = 1 + 8 + 2 + 4;
    private static final int EVENT_OVERHEAD = Frames.FRAME_HEADER + 3 * 8 + 3 * 2 + 2 + Frames.ALIGNMENT;

    private ByteBuffer out = allocate(INITIAL);
    private int chain;

    /** The bytes of a batch with its commit frame, valid until the next call. */
    ByteBuffer encode(Batch batch, int chainBefore) {
        if (out.capacity() > KEEP_AT_MOST) {
            out = allocate(INITIAL);
        }
        out.clear();
        for (Event event : batch.events()) {
            encode(event);
        }
        int length = out.position();
        chain = Frames.chain(chainBefore, out.slice(0, length));
        reserve(Frames.COMMIT_FRAME);
        new Frames.Commit(
                        batch.events().size(),
                        batch.firstRevision(),
                        batch.lastRevision(),
                        length,
                        chain,
                        batch.digest())
                .write(out);
        return out.flip();
    }

    /** The chain after the batch that was encoded last. */
    int chain() {
        return chain;
    }

    static long sizeBound(Event event) {
        long size = EVENT_OVERHEAD
                + 3L
                        * (event.type().length()
                                + event.actor().length()
                                + event.cause().request().length());
        for (Change change : event.changes()) {
            size += CHANGE_OVERHEAD
                    + 3L * change.key().text().length()
                    + change.object().json().length;
        }
        return size;
    }

    private void encode(Event event) {
        long bound = sizeBound(event);
        if (bound > Frames.MAX_BODY) {
            throw new IllegalArgumentException("Expected an event of at most " + Frames.MAX_BODY + " bytes, but "
                    + event.type() + " at revision " + event.revision() + " may take " + bound);
        }
        reserve((int) bound);
        int start = out.position();
        out.putInt(0).putInt(0).put(Frames.KIND_EVENT).put(Frames.VERSION).putShort((short) 0);
        out.putLong(event.revision())
                .putLong(event.time().toEpochMilli())
                .putLong(event.cause().revision());
        putText(event.type());
        putText(event.actor());
        putText(event.cause().request());
        out.putShort((short) event.changes().size());
        for (Change change : event.changes()) {
            out.put(code(change.kind())).putLong(change.prior());
            putText(change.key().text());
            byte[] json = change.object().json();
            out.putInt(json.length).put(json);
        }
        int end = out.position();
        out.putInt(start + 4, end - start - Frames.FRAME_HEADER);
        out.putInt(start, Frames.crc(out.slice(start + 4, end - start - 4)));
        while (out.position() % Frames.ALIGNMENT != 0) {
            out.put((byte) 0);
        }
    }

    /** Part of the file format. */
    static byte code(Change.Kind kind) {
        return switch (kind) {
            case PUT -> CODE_PUT;
            case REMOVED -> CODE_REMOVED;
        };
    }

    static Change.Kind kind(byte code) {
        return switch (code) {
            case CODE_PUT -> Change.Kind.PUT;
            case CODE_REMOVED -> Change.Kind.REMOVED;
            default -> throw new IllegalArgumentException("Expected a change to be put or removed, but found " + code);
        };
    }

    private void putText(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0xffff) {
            throw new IllegalArgumentException("Expected at most 65535 bytes of text, but found " + bytes.length);
        }
        out.putShort((short) bytes.length).put(bytes);
    }

    private void reserve(int bytes) {
        if (out.remaining() >= bytes) {
            return;
        }
        ByteBuffer larger = allocate(Math.max(out.capacity() * 2, out.position() + bytes));
        out = larger.put(out.flip());
    }

    private static ByteBuffer allocate(int capacity) {
        return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }
}
