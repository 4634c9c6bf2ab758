package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;

/**
 * RFC 6902: a list of operations, all of which are done, or none. As in Kubernetes, indices of lists may be negative and count from the
 * end then, and testing for null holds where there is nothing.
 */
public final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;

    private JsonPatch() {}

    /**
     * The patched value, which shares no node with the other two.
     *
     * @throws PatchException if the patch makes no sense, does not fit, or asks for too much
     */
    public static JsonNode apply(JsonNode original, JsonNode patch) {
        if (!(patch instanceof ArrayNode operations)) {
            throw undecodable(patch, "Go value of type []handlers.jsonPatchOp");
        }
        if (operations.size() > MAX_OPERATIONS) {
            throw PatchException.tooLarge("The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS
                    + ", got " + operations.size());
        }
        for (JsonNode operation : operations) {
            requireDecodable(operation);
        }
        PatchedDocument document = new PatchedDocument(original.deepCopy());
        for (JsonNode operation : operations) {
            run(operation, document);
        }
        return document.root();
    }

    /** Checked before anything else happens, since it makes the difference between a bad request and one that does not fit. */
    private static void requireDecodable(JsonNode operation) {
        if (!operation.isObject()) {
            throw undecodable(operation, "Go value of type handlers.jsonPatchOp");
        }
        for (String name : new String[] {"op", "path", "from"}) {
            JsonNode value = operation.path(name);
            if (!value.isTextual() && !value.isMissingNode() && !value.isNull()) {
                throw undecodable(value, "Go struct field jsonPatchOp." + name + " of type string");
            }
        }
    }

    private static PatchException undecodable(JsonNode value, String into) {
        String type = switch (value.getNodeType()) {
            case OBJECT -> "object";
            case ARRAY -> "array";
            case BOOLEAN -> "bool";
            case NUMBER -> "number";
            case NULL -> "null";
            default -> "string";
        };
        return PatchException.malformed("error decoding patch: json: cannot unmarshal " + type + " into " + into);
    }

    private static void run(JsonNode operation, PatchedDocument document) {
        String op = operation.path("op").asText("unknown");
        switch (op) {
            case "add" -> document.add(path(operation), value(operation));
            case "remove" -> document.remove(path(operation));
            case "replace" -> document.replace(path(operation), value(operation));
            case "move" -> document.move(from(operation), path(operation));
            case "copy" -> document.copy(from(operation), path(operation));
            case "test" -> document.test(path(operation), operation.path("value"));
            default -> throw PatchException.unfit("Unexpected kind: " + op);
        }
    }

    private static JsonPointer path(JsonNode operation) {
        return pointer(operation, "path");
    }

    private static JsonPointer from(JsonNode operation) {
        return pointer(operation, "from");
    }

    private static JsonPointer pointer(JsonNode operation, String name) {
        JsonNode text = operation.path(name);
        if (!text.isTextual()) {
            throw PatchException.unfit("operation missing " + name + " field: missing value");
        }
        return JsonPointer.parse(text.textValue());
    }

    /** A copy: later operations may change it. Without one, it is null, as in Kubernetes. */
    private static JsonNode value(JsonNode operation) {
        JsonNode value = operation.get("value");
        return value == null ? NullNode.getInstance() : value.deepCopy();
    }
}
