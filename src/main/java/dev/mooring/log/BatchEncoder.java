package dev.mooring.log;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Encodes batches into a reused buffer. For the appending thread only.
 *
 * @see SegmentFormat the format
 */
final class BatchEncoder {
    private static final int INITIAL = 64 << 10;

    /** A buffer that grew beyond this for a large batch is released. */
    private static final int KEEP_AT_MOST = 4 << 20;

    private static final byte CODE_PUT = 1;
    private static final byte CODE_REMOVED = 2;
    private static final int CHANGE_OVERHEAD = 1 + 8 + 2 + 1 + 4;
    private static final int EVENT_OVERHEAD = SegmentFormat.FRAME_HEADER + 3 * 8 + 3 * 2 + 2 + SegmentFormat.ALIGNMENT;

    private final Encryption encryption;
    private ByteBuffer out = allocate(INITIAL);
    private int chain;

    BatchEncoder(Encryption encryption) {
        this.encryption = encryption;
    }

    /** Returns the bytes of a batch with its commit frame, valid until the next call. */
    ByteBuffer encode(Batch batch, int chainBefore) {
        if (out.capacity() > KEEP_AT_MOST) {
            out = allocate(INITIAL);
        }
        out.clear();
        for (Event event : batch.events()) {
            encode(event);
        }
        int length = out.position();
        chain = SegmentFormat.chain(chainBefore, out.slice(0, length));
        reserve(SegmentFormat.COMMIT_FRAME);
        new SegmentFormat.Commit(
                        batch.events().size(),
                        batch.firstRevision(),
                        batch.lastRevision(),
                        length,
                        chain,
                        encryption.masked(batch.digest(), batch.lastRevision()),
                        encryption.keyId())
                .write(out);
        return out.flip();
    }

    /** Returns the chain after the last encoded batch. */
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
                    + change.object().json().length
                    + (Encryption.concerns(change.key()) ? Encryption.OVERHEAD : 0);
        }
        return size;
    }

    private void encode(Event event) {
        long bound = sizeBound(event);
        if (bound > SegmentFormat.MAX_BODY) {
            throw new IllegalArgumentException(event.type() + " at revision " + event.revision() + " may take " + bound
                    + " bytes, more than the limit of " + SegmentFormat.MAX_BODY);
        }
        reserve((int) bound);
        int start = out.position();
        boolean encrypts = encrypts(event);
        out.putInt(0).putInt(0).put(SegmentFormat.KIND_EVENT);
        out.put(encrypts ? SegmentFormat.VERSION_ENCRYPTED : SegmentFormat.VERSION)
                .putShort((short) 0);
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
            byte[] content = change.object().json();
            if (encrypts) {
                boolean encrypted = encryption.encrypts(change.key());
                content = encrypted ? encryption.encrypt(change.object()) : content;
                out.put(encrypted ? SegmentFormat.ENCRYPTED : SegmentFormat.IN_CLEAR);
            }
            out.putInt(content.length).put(content);
        }
        int end = out.position();
        out.putInt(start + 4, end - start - SegmentFormat.FRAME_HEADER);
        out.putInt(start, SegmentFormat.crc(out.slice(start + 4, end - start - 4)));
        while (out.position() % SegmentFormat.ALIGNMENT != 0) {
            out.put((byte) 0);
        }
    }

    private boolean encrypts(Event event) {
        if (encryption.isOn()) {
            for (Change change : event.changes()) {
                if (Encryption.concerns(change.key())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the code of a kind; part of the file format. */
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
            default -> throw new IllegalArgumentException("Unknown code of a change: " + code);
        };
    }

    private void putText(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0xffff) {
            throw new IllegalArgumentException("Text must have at most 65535 bytes, got " + bytes.length);
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
