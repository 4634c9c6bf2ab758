package dev.mooring.api.http;

import dev.mooring.api.Status;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads request bodies within limits of size, time, and total bytes in flight. Confined to one event loop. */
final class RequestBodyReader {
    private final Vertx vertx;
    private final Duration deadline;
    private final SharedLimit inFlightBytes;

    RequestBodyReader(Vertx vertx, ApiCore core) {
        this.vertx = vertx;
        this.deadline = core.limits().bodyTimeout();
        this.inFlightBytes = core.sharedLimits().requestBytes();
    }

    /** Reads a body of at most {@link HttpLimits#BODY_BYTES}. */
    void read(ApiRequest apiRequest, Consumer<byte[]> received) {
        read(apiRequest, HttpLimits.BODY_BYTES, received);
    }

    /**
     * Reads a body. Must be called in the same event loop callback that received the request.
     *
     * @param received its exceptions are answered as well
     */
    void read(ApiRequest apiRequest, long maxBytes, Consumer<byte[]> received) {
        HttpServerRequest request = apiRequest.request();
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (declared != null && isTooLong(declared, maxBytes)) {
            apiRequest.respondAndClose(Status.bodyTooLarge(maxBytes));
            return;
        }
        BodyRead receiving = new BodyRead(apiRequest, maxBytes, received);
        request.handler(receiving::part).endHandler(v -> receiving.end()).exceptionHandler(e -> receiving.stop());
        receiving.timer = vertx.setTimer(deadline.toMillis(), id -> receiving.tooSlow());
    }

    private static boolean isTooLong(String declared, long maxBytes) {
        try {
            return Long.parseLong(declared.trim()) > maxBytes;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private final class BodyRead {
        private final ApiRequest apiRequest;
        private final long maxBytes;
        private final Consumer<byte[]> received;
        private Buffer parts;
        private boolean gathered;
        private long acquiredBytes;
        private long timer;
        private boolean finished;

        private BodyRead(ApiRequest apiRequest, long maxBytes, Consumer<byte[]> received) {
            this.apiRequest = apiRequest;
            this.maxBytes = maxBytes;
            this.received = received;
        }

        void part(Buffer part) {
            if (finished) {
                return;
            }
            int length = part.length() + (parts == null ? 0 : parts.length());
            if (length > maxBytes) {
                refuse(Status.bodyTooLarge(maxBytes));
            } else {
                acquireBytes(length).ifPresentOrElse(this::refuse, () -> add(part));
            }
        }

        /** Acquires bytes of the shared limit; small bodies are exempt, so that large uploads cannot block them. */
        private Optional<Status> acquireBytes(long length) {
            long more = length - HttpLimits.SMALL_BODY_BYTES - acquiredBytes;
            if (more <= 0) {
                return Optional.empty();
            }
            Optional<Status> refusal = inFlightBytes.acquire(apiRequest.user(), more);
            if (refusal.isEmpty()) {
                acquiredBytes += more;
            }
            if (refusal.isEmpty() && acquiredBytes == more) {
                apiRequest.onEnd(this::releaseBytes);
            }
            return refusal;
        }

        /** Adds a part. A single part, the usual case, is used as it is; several are copied into one buffer. */
        private void add(Buffer part) {
            if (parts == null) {
                parts = part;
            } else if (gathered) {
                parts.appendBuffer(part);
            } else {
                parts = Buffer.buffer(2 * (parts.length() + part.length()))
                        .appendBuffer(parts)
                        .appendBuffer(part);
                gathered = true;
            }
        }

        void end() {
            if (finished) {
                return;
            }
            stop();
            try {
                received.accept(parts == null ? new byte[0] : parts.getBytes());
            } catch (RuntimeException e) {
                apiRequest.fail(e);
            }
        }

        void tooSlow() {
            if (!finished) {
                refuse(new Status(
                        408, "Timeout", "Request body did not arrive within " + deadline.toSeconds() + " seconds"));
            }
        }

        private void refuse(Status status) {
            stop();
            releaseBytes();
            parts = null;
            apiRequest.respondAndClose(status);
        }

        void stop() {
            if (!finished) {
                finished = true;
                vertx.cancelTimer(timer);
            }
        }

        /** Releases the bytes when the request is answered. */
        private void releaseBytes() {
            inFlightBytes.release(apiRequest.user(), acquiredBytes);
            acquiredBytes = 0;
        }
    }
}
