package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.List;
import java.util.Locale;

/** Turns what clients have sent into objects. */
final class Bodies {
    static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    static final String YAML = "application/yaml";

    private Bodies() {}

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
