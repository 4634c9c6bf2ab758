package dev.mooring.api.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Sends an answer that may be large: as fast as the client takes it, with turns for others in between, and packed if the client wishes.
 * For one event loop.
 */
final class Pieces {
    /** Below this packing costs more than it spares; kube-apiserver's figure too. Also how much is sent in one turn. */
    private static final int CHUNK_BYTES = 128 * 1024;

    private final Exchange exchange;
    private final HttpServerResponse response;
    private final Iterator<byte[]> pieces;
    private final ByteArrayOutputStream chunk = new ByteArrayOutputStream(1024);
    private Packing packing;

    private static final class Packing extends GZIPOutputStream {
        Packing(ByteArrayOutputStream out) throws IOException {
            super(out, 8192, true);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private Pieces(Exchange exchange, Iterator<byte[]> pieces) {
        this.exchange = exchange;
        this.response = exchange.response();
        this.pieces = pieces;
    }

    static void send(Exchange exchange, CharSequence contentType, Iterator<byte[]> pieces) {
        new Pieces(exchange, pieces).begin(contentType);
    }

    /** What fits into one chunk goes at once and whole. */
    private void begin(CharSequence contentType) {
        if (response.closed()) {
            return;
        }
        while (pieces.hasNext() && chunk.size() < CHUNK_BYTES) {
            chunk.writeBytes(pieces.next());
        }
        Exchange.head(response, contentType);
        exchange.access().answered(exchange.request(), 200);
        boolean packed = chunk.size() >= CHUNK_BYTES
                && exchange.header(HttpHeaders.ACCEPT_ENCODING)
                        .toLowerCase(Locale.ROOT)
                        .contains("gzip");
        if (packed) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip").putHeader("Vary", "Accept-Encoding");
        }
        if (!packed && !pieces.hasNext()) {
            response.end(taken());
            return;
        }
        response.setChunked(true);
        if (packed) {
            pack();
        }
        go();
    }

    private void go() {
        if (response.closed()) {
            return;
        }
        try {
            while (pieces.hasNext() && chunk.size() < CHUNK_BYTES) {
                append(pieces.next());
            }
            if (!pieces.hasNext()) {
                if (packing != null) {
                    packing.finish();
                }
                response.end(taken());
                return;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Expected packing in memory to work, but it did not", e);
        }
        response.write(taken());
        if (response.writeQueueFull()) {
            response.drainHandler(v -> {
                response.drainHandler(null);
                go();
            });
        } else {
            exchange.context().runOnContext(v -> go());
        }
    }

    private void pack() {
        byte[] plain = chunk.toByteArray();
        chunk.reset();
        try {
            packing = new Packing(chunk);
            packing.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected packing in memory to work, but it did not", e);
        }
    }

    private void append(byte[] piece) throws IOException {
        if (packing == null) {
            chunk.write(piece);
        } else {
            packing.write(piece);
        }
    }

    private Buffer taken() {
        Buffer taken = Buffer.buffer(chunk.toByteArray());
        chunk.reset();
        return taken;
    }
}
