package dev.mooring.api.decode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type.Struct;
import dev.mooring.api.status.GoText;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reads the bodies of writes to one resource. Its messages are those of Kubernetes' create and update: kubectl shows them as they are.
 *
 * @param group of the resource; empty for the core group
 * @param type named like the kind
 */
public record Decoder(String group, String version, Struct type) {
    private static final int SUMMARY_BYTES = 30;

    /**
     * A body without kind or apiVersion is taken for what the resource holds, and gets both.
     *
     * @param respell turns other spellings of an object into Kubernetes' own, before its shape is checked
     * @throws BodyException if it is no object of this kind
     */
    public Decoded decode(byte[] body, BodyFormat format, Consumer<ObjectNode> respell) {
        Parsed parsed;
        try {
            parsed = format.parse(body);
        } catch (BodyException e) {
            String problem = format == BodyFormat.JSON
                    ? "couldn't get version/kind; json parse error: " + e.getMessage()
                    : e.getMessage();
            throw unrecognized(problem, body);
        }
        if (!(parsed.root() instanceof ObjectNode object)) {
            throw unrecognized("Expected an object, but the body is " + article(parsed.root()), body);
        }
        return check(object, parsed.duplicates(), respell);
    }

    public Decoded decode(byte[] body, BodyFormat format) {
        return decode(body, format, object -> {});
    }

    /** The same for a body that has been read already. */
    public Decoded check(ObjectNode object, List<String> duplicates, Consumer<ObjectNode> respell) {
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
        respell.accept(object);
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
        return new Decoded(object, findings);
    }

    /** The whole message for an object that is refused because of its shape. */
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
}
