package dev.mooring.api.table;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;

/**
 * A list in pieces: each item is encoded when it is needed, so that the memory does not depend on the length of the
 * list. Not thread-safe.
 */
public final class ListChunks implements Iterator<byte[]> {
    private final byte[] separator;
    private final byte[] end;
    private final Iterator<byte[]> items;
    private final UnaryOperator<byte[]> form;

    /** The next piece; null if it is the next item. */
    private byte[] next;

    private boolean finished;

    /**
     * @param items as stored
     * @param form encodes an item
     */
    public ListChunks(String start, Iterator<byte[]> items, UnaryOperator<byte[]> form, String separator, String end) {
        this.next = bytes(start);
        this.items = items;
        this.form = form;
        this.separator = bytes(separator);
        this.end = bytes(end);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean hasNext() {
        return !finished;
    }

    @Override
    public byte[] next() {
        if (finished) {
            throw new NoSuchElementException();
        }
        byte[] piece = next;
        if (piece == null) {
            piece = form.apply(items.next());
            next = items.hasNext() ? separator : end;
        } else if (piece == end) {
            finished = true;
        } else {
            next = piece == separator || items.hasNext() ? null : end;
        }
        return piece;
    }
}
