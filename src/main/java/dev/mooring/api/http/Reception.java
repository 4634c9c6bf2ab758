package dev.mooring.api.http;

import dev.mooring.api.ApiCore;
import dev.mooring.api.BodyRoom;
import dev.mooring.api.Limits;
import dev.mooring.api.status.Status;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.function.Consumer;

/** Receives what clients send, within bounds of size, time, and of what all of them together may have under way. For one event loop. */
final class Reception {
    private static final int RETRY_SECONDS = 1;

    private final Vertx vertx;
    private final Duration deadline;
    private final BodyRoom room;

    Reception(Vertx vertx, ApiCore core) {
        this.vertx = vertx;
        this.deadline = core.limits().bodyTimeout();
        this.room = core.bodies();
    }

    /**
     * Collects a body. Must be called in the same turn of the event loop that the request came in.
     *
     * @param received what it throws is answered, too
     */
    void receive(Exchange exchange, Consumer<byte[]> received) {
        HttpServerRequest request = exchange.request();
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (declared != null && isTooLong(declared)) {
            exchange.answerAndHangUp(Status.bodyTooLarge(Limits.BODY_BYTES));
            return;
        }
        Receiving receiving = new Receiving(exchange, received);
        request.handler(receiving::part).endHandler(v -> receiving.end()).exceptionHandler(e -> receiving.stop());
        receiving.timer = vertx.setTimer(deadline.toMillis(), id -> receiving.tooSlow());
    }

    private static boolean isTooLong(String declared) {
        try {
            return Long.parseLong(declared.trim()) > Limits.BODY_BYTES;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private final class Receiving {
        private final Exchange exchange;
        private final Consumer<byte[]> received;
        private Buffer parts;
        private boolean gathered;
        private long taken;
        private long timer;
        private boolean over;

        private Receiving(Exchange exchange, Consumer<byte[]> received) {
            this.exchange = exchange;
            this.received = received;
        }

        void part(Buffer part) {
            if (over) {
                return;
            }
            int length = part.length() + (parts == null ? 0 : parts.length());
            if (length > Limits.BODY_BYTES) {
                refuse(Status.bodyTooLarge(Limits.BODY_BYTES));
            } else if (!hasRoomFor(length)) {
                refuse(Status.tooManyRequests(
                        "Expected at most " + Limits.BODIES_BYTES
                                + " bytes of large requests under way, but there are as many; try again",
                        RETRY_SECONDS));
            } else {
                add(part);
            }
        }

        /** Small ones need none, so that nobody who sends much can keep out those who send little. */
        private boolean hasRoomFor(long length) {
            long more = length - Limits.SMALL_BODY_BYTES - taken;
            if (more <= 0) {
                return true;
            }
            if (!room.take(more)) {
                return false;
            }
            taken += more;
            return true;
        }

        /** The one and only part, as a rule, is taken as it is; several are gathered in a buffer of our own. */
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
            if (over) {
                return;
            }
            stop();
            try {
                received.accept(parts == null ? new byte[0] : parts.getBytes());
            } catch (RuntimeException e) {
                exchange.fail(e);
            }
        }

        void tooSlow() {
            if (!over) {
                refuse(new Status(
                        408,
                        "Timeout",
                        "Expected the whole request within " + deadline.toSeconds() + " seconds, but more is to come"));
            }
        }

        private void refuse(Status status) {
            stop();
            parts = null;
            exchange.answerAndHangUp(status);
        }

        void stop() {
            if (!over) {
                over = true;
                room.give(taken);
                vertx.cancelTimer(timer);
            }
        }
    }
}
