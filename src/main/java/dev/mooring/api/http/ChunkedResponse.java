package dev.mooring.api.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Sends a response that may be large: at the client's speed, yielding the event loop between chunks, and compressed if
 * the client accepts it. Confined to one event loop.
 */
final class ChunkedResponse {
    /** Minimum size for compression, as in kube-apiserver, and maximum size of one write. */
    private static final int CHUNK_BYTES = 128 * 1024;

    private final ApiRequest request;
    private final HttpServerResponse response;
    private final Iterator<byte[]> pieces;
    private final ByteArrayOutputStream chunk = new ByteArrayOutputStream(1024);
    private final PendingWrites pending = new PendingWrites();
    private final StallTracking stallTracking;
    private final Optional<Executor> worker;
    private Optional<SlowReaders.StalledResponse> stalled = Optional.empty();
    private FastGzipStream gzip;

    /** The current piece; a large one is sent in several chunks. */
    private byte[] piece = new byte[0];

    private int sentOfPiece;

    private static final class FastGzipStream extends GZIPOutputStream {
        FastGzipStream(ByteArrayOutputStream out) throws IOException {
            super(out, 8192, true);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    /**
     * Tracking of a response that holds objects.
     *
     * @param since the {@link SlowReaders#readMark} before the objects were read
     */
    record StallTracking(SlowReaders readers, long since) {}

    private ChunkedResponse(
            ApiRequest request, Iterator<byte[]> pieces, StallTracking stallTracking, Optional<Executor> worker) {
        this.request = request;
        this.response = request.response();
        this.pieces = pieces;
        this.stallTracking = stallTracking;
        this.worker = worker;
    }

    /** @param worker runs the production of pieces if that is slow; otherwise it runs on the event loop */
    static void send(
            ApiRequest request,
            CharSequence contentType,
            Iterator<byte[]> pieces,
            StallTracking stallTracking,
            Optional<Executor> worker) {
        ChunkedResponse sending = new ChunkedResponse(request, pieces, stallTracking, worker);
        sending.produceChunk(() -> sending.startResponse(contentType));
    }

    /** Produces the next chunk and continues on the event loop. */
    private void produceChunk(Runnable then) {
        if (worker.isEmpty()) {
            fill().ifPresentOrElse(request::fail, then);
            return;
        }
        worker.get().execute(() -> {
            Optional<Throwable> failure = fill();
            request.contextExecutor().execute(() -> failure.ifPresentOrElse(request::fail, then));
        });
    }

    private boolean hasMore() {
        return sentOfPiece < piece.length || pieces.hasNext();
    }

    private Optional<Throwable> fill() {
        try {
            while (hasMore() && chunk.size() < CHUNK_BYTES) {
                if (sentOfPiece == piece.length) {
                    piece = pieces.next();
                    sentOfPiece = 0;
                }
                int part = Math.min(piece.length - sentOfPiece, CHUNK_BYTES);
                append(piece, sentOfPiece, part);
                sentOfPiece += part;
            }
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.of(e);
        }
    }

    /** Sends the headers; a response that fits into one chunk is sent at once with a length. */
    private void startResponse(CharSequence contentType) {
        if (response.closed()) {
            return;
        }
        if (!request.reserve(chunk.size())) {
            return;
        }
        response.closeHandler(v -> request.release());
        ApiRequest.setHeaders(response, contentType);
        request.recordResponse(200);
        boolean packed = chunk.size() >= CHUNK_BYTES
                && request.header(HttpHeaders.ACCEPT_ENCODING)
                        .toLowerCase(Locale.ROOT)
                        .contains("gzip");
        if (packed) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip").putHeader("Vary", "Accept-Encoding");
        }
        if (!packed && !hasMore()) {
            request.releaseAfter(response.end(toBuffer()));
            return;
        }
        request.onEnd(this::endStall);
        response.setChunked(true);
        if (packed) {
            compress();
        }
        produceChunk(this::sendNext);
    }

    private void sendNext() {
        if (response.closed()) {
            return;
        }
        try {
            if (!hasMore()) {
                if (gzip != null) {
                    gzip.finish();
                }
                request.releaseAfter(response.end(toBuffer()));
                return;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to compress response", e);
        }
        Buffer written = toBuffer();
        pending.add(written.length(), response.write(written));
        if (pending.isFull() || response.writeQueueFull()) {
            stalled = Optional.of(
                    stallTracking.readers().trackStalled(written.length(), stallTracking.since(), this::abort));
            if (stallTracking.readers().isFull()) {
                response.reset();
                return;
            }
            Runnable then = () -> {
                endStall();
                produceChunk(this::sendNext);
            };
            if (pending.isFull()) {
                pending.onDrained(then);
                return;
            }
            response.drainHandler(v -> {
                response.drainHandler(null);
                then.run();
            });
        } else {
            request.context().runOnContext(v -> produceChunk(this::sendNext));
        }
    }

    private void endStall() {
        stalled.ifPresent(SlowReaders.StalledResponse::end);
        stalled = Optional.empty();
    }

    /** Closes the connection: the client detects the failure by the incomplete response. */
    private void abort() {
        request.contextExecutor().execute(response::reset);
    }

    private void compress() {
        byte[] plain = chunk.toByteArray();
        chunk.reset();
        try {
            gzip = new FastGzipStream(chunk);
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to compress response", e);
        }
    }

    private void append(byte[] bytes, int from, int count) throws IOException {
        if (gzip == null) {
            chunk.write(bytes, from, count);
        } else {
            gzip.write(bytes, from, count);
        }
    }

    private Buffer toBuffer() {
        Buffer taken = Buffer.buffer(chunk.toByteArray());
        chunk.reset();
        return taken;
    }
}
