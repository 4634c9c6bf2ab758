package dev.mooring.api.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.Page;
import dev.mooring.api.table.ListMeta;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** A list as JSON, piece by piece: the objects' own bytes with a little in between. For one thread. */
final class ListPieces implements Iterator<byte[]> {
    private static final byte[] COMMA = {','};
    private static final byte[] END = "]}\n".getBytes(StandardCharsets.US_ASCII);

    private final byte[] start;
    private final Page page;

    /** 0 is the start, then objects and commas take turns, and at last the end. */
    private int next;

    ListPieces(Kind kind, Page page) {
        this.page = page;
        this.start = start(kind, page.meta());
    }

    private static byte[] start(Kind kind, ListMeta meta) {
        StringBuilder text = new StringBuilder(160);
        text.append("{\"kind\":\"").append(kind.names().kind()).append("List\",\"apiVersion\":\"");
        text.append(kind.names().apiVersion()).append("\",\"metadata\":{\"resourceVersion\":\"");
        text.append(meta.resourceVersion()).append('"');
        meta.continueToken()
                .ifPresent(token -> text.append(",\"continue\":\"")
                        .append(JsonStringEncoder.getInstance().quoteAsString(token))
                        .append('"'));
        meta.remainingItemCount()
                .ifPresent(count -> text.append(",\"remainingItemCount\":").append(count));
        return text.append("},\"items\":[").toString().getBytes(StandardCharsets.UTF_8);
    }

    private int count() {
        int objects = page.objects().size();
        return 2 + (objects == 0 ? 0 : 2 * objects - 1);
    }

    @Override
    public boolean hasNext() {
        return next < count();
    }

    @Override
    public byte[] next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        int at = next++;
        if (at == 0) {
            return start;
        }
        if (at == count() - 1) {
            return END;
        }
        return at % 2 == 1 ? page.objects().get(at / 2).json() : COMMA;
    }

    byte[] toBytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (hasNext()) {
            all.writeBytes(next());
        }
        return all.toByteArray();
    }
}
