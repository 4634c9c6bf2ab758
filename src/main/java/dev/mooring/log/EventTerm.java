package dev.mooring.log;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;

/**
 * A term by which events are found without reading the log: an object that they change, or the revision that caused
 * them. Different terms may have the same hash, so a found event must be checked.
 *
 * @param hash the hash in the index of a segment; part of the file format
 */
public record EventTerm(int hash) {
    private static final int OBJECT = 'o';
    private static final int CAUSE = 'c';
    private static final int FNV_BASIS = 0x811c_9dc5;
    private static final int FNV_PRIME = 0x0100_0193;

    /** Returns the term of events that change an object. */
    public static EventTerm object(ObjectKey key) {
        byte[] text = key.text().getBytes(StandardCharsets.UTF_8);
        return new EventTerm(objectHash(text, 0, text.length));
    }

    /** Returns the term of events whose cause is a revision. */
    public static EventTerm cause(long revision) {
        return new EventTerm(causeHash(revision));
    }

    /** Passes the hashes of all terms of an event. */
    static void hashes(Event event, IntConsumer to) {
        if (event.cause().revision() != 0) {
            to.accept(causeHash(event.cause().revision()));
        }
        for (Change change : event.changes()) {
            to.accept(object(change.key()).hash());
        }
    }

    static int objectHash(byte[] text, int from, int length) {
        int hash = step(FNV_BASIS, OBJECT);
        for (int i = from; i < from + length; i++) {
            hash = step(hash, text[i]);
        }
        return hash;
    }

    static int causeHash(long revision) {
        int hash = step(FNV_BASIS, CAUSE);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            hash = step(hash, (int) (revision >>> shift));
        }
        return hash;
    }

    private static int step(int hash, int value) {
        return (hash ^ (value & 0xff)) * FNV_PRIME;
    }
}
