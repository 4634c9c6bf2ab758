package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Limits;
import dev.mooring.api.decode.BodyException;
import dev.mooring.api.decode.BodyFormat;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.decode.Decoder;
import dev.mooring.api.decode.JsonBody;
import dev.mooring.api.decode.Parsed;
import dev.mooring.api.decode.YamlBody;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.protobuf.ProtobufBody;
import dev.mooring.api.protobuf.ProtobufException;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Receives what clients send, within bounds of size and time, and turns it into objects. */
final class Bodies {
    static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    static final String YAML = "application/yaml";

    private Bodies() {}

    /** Collects a body. Must be called in the same turn of the event loop that the request came in. */
    static void receive(
            HttpServerRequest request,
            Vertx vertx,
            Duration deadline,
            Consumer<byte[]> received,
            Consumer<Status> refused) {
        String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (declared != null && tooLong(declared)) {
            refused.accept(Status.bodyTooLarge(Limits.BODY_BYTES));
            return;
        }
        Receiving receiving = new Receiving(vertx, deadline, received, refused);
        request.handler(receiving::part).endHandler(v -> receiving.end()).exceptionHandler(e -> receiving.stop());
        receiving.timer = vertx.setTimer(deadline.toMillis(), id -> receiving.tooSlow());
    }

    private static boolean tooLong(String declared) {
        try {
            return Long.parseLong(declared.trim()) > Limits.BODY_BYTES;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private static final class Receiving {
        private final Vertx vertx;
        private final Duration deadline;
        private final Consumer<byte[]> received;
        private final Consumer<Status> refused;
        private Buffer parts;
        private boolean gathered;
        private long timer;
        private boolean over;

        private Receiving(Vertx vertx, Duration deadline, Consumer<byte[]> received, Consumer<Status> refused) {
            this.deadline = deadline;
            this.vertx = vertx;
            this.received = received;
            this.refused = refused;
        }

        void part(Buffer part) {
            if (over) {
                return;
            }
            int length = part.length() + (parts == null ? 0 : parts.length());
            if (length > Limits.BODY_BYTES) {
                stop();
                refused.accept(Status.bodyTooLarge(Limits.BODY_BYTES));
            } else {
                add(part);
            }
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
            if (!over) {
                stop();
                received.accept(parts == null ? new byte[0] : parts.getBytes());
            }
        }

        void tooSlow() {
            if (!over) {
                stop();
                refused.accept(new Status(
                        408,
                        "Timeout",
                        "Expected the whole request within " + deadline.toSeconds() + " seconds, but more is to come"));
            }
        }

        void stop() {
            over = true;
            vertx.cancelTimer(timer);
        }
    }

    /** An object of a kind, in any format that is understood. */
    static Decoded object(Kind kind, String contentType, byte[] body) {
        Decoder decoder = kind.decoder();
        try {
            String media = media(contentType);
            if (media.equals(PROTOBUF)) {
                return decoder.check(protobuf(body), List.of(), kind.rules()::normalize);
            }
            return decoder.decode(body, format(media), kind.rules()::normalize);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    /** An object of any shape, such as options or a review; an empty body is an empty object. */
    static ObjectNode loose(String contentType, byte[] body) {
        if (body.length == 0) {
            return JsonNodeFactory.instance.objectNode();
        }
        String media = media(contentType);
        if (media.equals(PROTOBUF)) {
            return protobuf(body);
        }
        if (parse(body, format(media)).root() instanceof ObjectNode object) {
            return object;
        }
        throw new StatusException(Status.badRequest("Expected the body to be an object, but it is something else"));
    }

    static Parsed parse(byte[] body, BodyFormat format) {
        try {
            return format == BodyFormat.JSON ? JsonBody.parse(body) : YamlBody.parse(body);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    private static ObjectNode protobuf(byte[] body) {
        try {
            return ProtobufBody.decode(body);
        } catch (ProtobufException e) {
            throw new StatusException(
                    e.problem() == ProtobufException.Problem.MALFORMED
                            ? Status.badRequest(e.getMessage())
                            : Status.unsupportedMediaType(e.getMessage()));
        }
    }

    /** The media type without its parameters. */
    static String media(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).trim().toLowerCase(Locale.ROOT);
    }

    private static BodyFormat format(String media) {
        return switch (media) {
            case "", Exchange.JSON -> BodyFormat.JSON;
            case YAML, "application/x-yaml", "text/yaml" -> BodyFormat.YAML;
            default ->
                throw new StatusException(Status.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types include: "
                                + Exchange.JSON + ", " + YAML + ", " + PROTOBUF));
        };
    }
}
