package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import dev.mooring.api.types.SchemaType.Struct;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Decodes the bodies of writes to one resource. Uses the messages of Kubernetes' create and update, because kubectl
 * prints them unchanged.
 *
 * @param group of the resource; empty for the core group
 * @param type named like the kind
 */
public record KindDecoder(String group, String version, Struct type) {
    private static final int SUMMARY_BYTES = 30;

    /**
     * Decodes a body. A missing kind or apiVersion is set to that of the resource.
     *
     * @param normalize converts other notations of an object to Kubernetes' own, before the shape is checked
     * @throws BodyException if it is not an object of this kind
     */
    public DecodedBody decode(byte[] body, BodyFormat format, Consumer<ObjectNode> normalize) {
        ParsedBody parsed;
        try {
            parsed = format.parse(body);
        } catch (BodyException e) {
            String problem = format == BodyFormat.JSON
                    ? "couldn't get version/kind; json parse error: " + e.getMessage()
                    : e.getMessage();
            throw unrecognized(problem, body);
        }
        if (!(parsed.root() instanceof ObjectNode object)) {
            throw unrecognized("body must be an object, got " + article(parsed.root()), body);
        }
        return check(object, parsed.duplicates(), normalize);
    }

    public DecodedBody decode(byte[] body, BodyFormat format) {
        return decode(body, format, object -> {});
    }

    /** Checks a body that is already parsed. */
    public DecodedBody check(ObjectNode object, List<String> duplicates, Consumer<ObjectNode> normalize) {
        String kind = textOr(object, "kind", type.name());
        String apiVersion = textOr(object, "apiVersion", apiVersion());
        if (!kind.equals(type.name())) {
            throw new BodyException(cannotBeHandled(kind, apiVersion) + "converting (" + version + "." + kind + ") to ("
                    + (group.isEmpty() ? "core" : group.split("\\.", 2)[0]) + "." + type.name()
                    + "): unknown conversion");
        }
        if (!apiVersion.equals(apiVersion())) {
            throw new BodyException("the API version in the data (" + apiVersion
                    + ") does not match the expected API version (" + apiVersion() + ")");
        }
        normalize.accept(object);
        List<String> unknown;
        try {
            unknown = ShapeCheck.check(object, type).unknownFields();
        } catch (BodyException e) {
            throw new BodyException(cannotBeHandled(kind, apiVersion) + e.getMessage());
        }
        object.put("kind", kind);
        object.put("apiVersion", apiVersion);
        List<String> findings = duplicates.isEmpty()
                ? unknown
                : Stream.concat(duplicates.stream(), unknown.stream()).toList();
        return new DecodedBody(object, findings);
    }

    /** Returns the complete message for an object that is rejected because of its shape. */
    public String refusal(String problem) {
        return cannotBeHandled(type.name(), apiVersion()) + problem;
    }

    private String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    private String cannotBeHandled(String kind, String apiVersion) {
        String bare = apiVersion.substring(apiVersion.indexOf('/') + 1);
        return kind + " in version " + GoText.quote(bare) + " cannot be handled as a " + type.name() + ": ";
    }

    private BodyException unrecognized(String problem, byte[] body) {
        return new BodyException("the object provided is unrecognized (must be of type " + type.name() + "): " + problem
                + " (" + summary(body) + ")");
    }

    private static String textOr(ObjectNode object, String field, String otherwise) {
        JsonNode value = object.get(field);
        return value != null && value.isTextual() && !value.textValue().isEmpty() ? value.textValue() : otherwise;
    }

    private static String article(JsonNode root) {
        return switch (root.getNodeType()) {
            case ARRAY -> "an array";
            case STRING -> "a string";
            case NUMBER -> "a number";
            case BOOLEAN -> "a bool";
            default -> "null";
        };
    }

    private static String summary(byte[] body) {
        if (body.length == 0) {
            return "<empty>";
        }
        int shown = Math.min(body.length, SUMMARY_BYTES);
        String start = body[0] == '{'
                ? new String(body, 0, shown, StandardCharsets.UTF_8)
                : HexFormat.of().formatHex(body, 0, shown);
        return shown < body.length ? start + " ..." : start;
    }

    /** The text formats of a request body. */
    public enum BodyFormat {
        JSON,
        YAML;

        ParsedBody parse(byte[] body) {
            return this == JSON ? JsonBody.parse(body) : YamlBody.parse(body);
        }
    }

    /**
     * A decoded object and the findings of strict validation.
     *
     * @param findings duplicate and unknown fields, one message each: with {@code fieldValidation=Warn} each is a
     *     warning
     */
    public record DecodedBody(ObjectNode object, List<String> findings) {

        /** Returns why {@code fieldValidation=Strict} rejects the object; empty if it does not. */
        public Optional<String> strictError() {
            return findings.isEmpty()
                    ? Optional.empty()
                    : Optional.of("strict decoding error: " + String.join(", ", findings));
        }
    }
}
