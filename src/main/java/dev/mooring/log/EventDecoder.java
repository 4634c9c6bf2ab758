package dev.mooring.log;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.AEADBadTagException;

/**
 * Decodes events from frames whose checksums have been verified. Not thread-safe.
 *
 * @see SegmentFormat the format
 */
final class EventDecoder {
    /** Texts before the changes: type, actor and request. */
    private static final int TEXTS = 3;

    /** A small table of recurring types and actors, to avoid a string for each event. */
    private final String[] texts = new String[256];

    private final byte[][] textBytes = new byte[256][];

    private final Encryption encryption;
    private byte[] bytes;
    private int position;
    private boolean hasEncodings;

    EventDecoder(Encryption encryption) {
        this.encryption = encryption;
    }

    /**
     * @param frames a heap buffer
     * @param at where the frame starts
     * @throws AEADBadTagException if a content was not encrypted for this place
     */
    Event decode(ByteBuffer frames, int at) throws EncryptionKeyException, AEADBadTagException {
        bytes = frames.array();
        int start = frames.arrayOffset() + at + SegmentFormat.FRAME_HEADER;
        long revision = frames.getLong(at + SegmentFormat.FRAME_HEADER);
        long time = frames.getLong(at + SegmentFormat.FRAME_HEADER + 8);
        long cause = frames.getLong(at + SegmentFormat.FRAME_HEADER + 16);
        position = start + 24;
        hasEncodings = frames.get(at + 9) == SegmentFormat.VERSION_ENCRYPTED;
        String type = sharedText();
        String actor = sharedText();
        Cause because = Cause.of(cause, text());
        int count = unsignedShort();
        List<Change> changes;
        if (count == 1) {
            changes = List.of(change(frames, revision));
        } else {
            changes = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                changes.add(change(frames, revision));
            }
        }
        return new Event(revision, Instant.ofEpochMilli(time), type, actor, because, changes);
    }

    /** Passes the hashes of an event's {@linkplain EventTerm terms} without decoding its objects. */
    void terms(ByteBuffer frames, int at, SegmentScanner.TermConsumer terms) {
        bytes = frames.array();
        long revision = frames.getLong(at + SegmentFormat.FRAME_HEADER);
        long cause = frames.getLong(at + SegmentFormat.FRAME_HEADER + 16);
        position = frames.arrayOffset() + at + SegmentFormat.FRAME_HEADER + 24;
        hasEncodings = frames.get(at + 9) == SegmentFormat.VERSION_ENCRYPTED;
        if (cause != 0) {
            terms.accept(revision, EventTerm.causeHash(cause));
        }
        for (int i = 0; i < TEXTS; i++) {
            skipText();
        }
        int count = unsignedShort();
        for (int i = 0; i < count; i++) {
            position += 1 + Long.BYTES;
            int length = unsignedShort();
            terms.accept(revision, EventTerm.objectHash(bytes, position, length));
            position += length + (hasEncodings ? 1 : 0);
            position += Integer.BYTES + frames.getInt(position - frames.arrayOffset());
        }
    }

    private void skipText() {
        int length = unsignedShort();
        position += length;
    }

    private Change change(ByteBuffer frames, long revision) throws EncryptionKeyException, AEADBadTagException {
        byte code = bytes[position++];
        long prior = frames.getLong(position - frames.arrayOffset());
        position += 8;
        ObjectKey key = ObjectKey.parse(text());
        boolean encrypted = hasEncodings && bytes[position++] == SegmentFormat.ENCRYPTED;
        int length = frames.getInt(position - frames.arrayOffset());
        position += 4;
        byte[] json = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        if (encrypted) {
            json = encryption.decrypt(key, revision, json);
        }
        return new Change(BatchEncoder.kind(code), new StoredObject(key, revision, json), prior);
    }

    private String text() {
        int length = unsignedShort();
        position += length;
        return length == 0 ? "" : new String(bytes, position - length, length, StandardCharsets.UTF_8);
    }

    private String sharedText() {
        int length = unsignedShort();
        int from = position;
        position += length;
        if (length == 0) {
            return "";
        }
        int hash = length;
        for (int i = from; i < position; i++) {
            hash = 31 * hash + bytes[i];
        }
        int slot = (hash ^ (hash >>> 8)) & 0xff;
        byte[] known = textBytes[slot];
        if (known != null && Arrays.equals(known, 0, known.length, bytes, from, position)) {
            return texts[slot];
        }
        String text = new String(bytes, from, length, StandardCharsets.UTF_8);
        textBytes[slot] = Arrays.copyOfRange(bytes, from, position);
        texts[slot] = text;
        return text;
    }

    private int unsignedShort() {
        int value = (bytes[position] & 0xff) | (bytes[position + 1] & 0xff) << 8;
        position += 2;
        return value;
    }
}
