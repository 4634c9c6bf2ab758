package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.types.BodyException;
import dev.mooring.api.types.JsonBody;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.ParsedBody;
import dev.mooring.api.types.ProtobufBody;
import dev.mooring.api.types.ProtobufException;
import dev.mooring.api.types.YamlBody;
import java.util.List;
import java.util.Locale;

/** Decodes request bodies into objects. */
final class RequestBodyDecoder {
    static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    static final String YAML = "application/yaml";

    private RequestBodyDecoder() {}

    /** Decodes an object of a kind, in any supported format. */
    static KindDecoder.DecodedBody decodeObject(KindDefinition kind, String contentType, byte[] body) {
        KindDecoder decoder = kind.decoder();
        try {
            String media = mediaType(contentType);
            if (media.equals(PROTOBUF)) {
                return decoder.check(protobuf(body), List.of(), kind.rules()::normalize);
            }
            return decoder.decode(body, format(media), kind.rules()::normalize);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    /**
     * Decodes the body of an apply patch, which is YAML. Most clients send JSON, whose parser is many times faster, so
     * the YAML parser only reads what is not JSON, such as a list with a comma after its last item.
     */
    static KindDecoder.DecodedBody decodeApplied(KindDefinition kind, byte[] body) {
        KindDecoder.BodyFormat format = KindDecoder.BodyFormat.YAML;
        if (looksLikeJson(body)) {
            try {
                JsonBody.parse(body);
                format = KindDecoder.BodyFormat.JSON;
            } catch (BodyException e) {
                // The YAML parser reports the error if it is not YAML either.
            }
        }
        try {
            return kind.decoder().decode(body, format, kind.rules()::normalize);
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    static boolean looksLikeJson(byte[] body) {
        for (byte each : body) {
            if (each > ' ') {
                return each == '{';
            }
        }
        return false;
    }

    /** Decodes an untyped object, such as options or a review; an empty body is an empty object. */
    static ObjectNode decodeUntyped(String contentType, byte[] body) {
        if (body.length == 0) {
            return JsonNodeFactory.instance.objectNode();
        }
        String media = mediaType(contentType);
        if (media.equals(PROTOBUF)) {
            return protobuf(body);
        }
        if (parse(body, format(media)).root() instanceof ObjectNode object) {
            return object;
        }
        throw new StatusException(Status.badRequest("Request body must be an object"));
    }

    static ParsedBody parse(byte[] body, KindDecoder.BodyFormat format) {
        try {
            return format == KindDecoder.BodyFormat.JSON ? JsonBody.parse(body) : YamlBody.parse(body);
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

    /** Returns the media type without parameters. */
    static String mediaType(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).trim().toLowerCase(Locale.ROOT);
    }

    private static KindDecoder.BodyFormat format(String media) {
        return switch (media) {
            case "", ApiRequest.JSON -> KindDecoder.BodyFormat.JSON;
            case YAML, "application/x-yaml", "text/yaml" -> KindDecoder.BodyFormat.YAML;
            default ->
                throw new StatusException(Status.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types include: "
                                + ApiRequest.JSON + ", " + YAML + ", " + PROTOBUF));
        };
    }
}
