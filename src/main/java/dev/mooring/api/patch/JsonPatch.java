package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;

/**
 * JSON patch (RFC 6902): a list of operations that are applied atomically. As in Kubernetes, list indexes may be
 * negative and then count from the end, and a test for null matches a missing value.
 */
public final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;

    private JsonPatch() {}

    /**
     * Returns the patched value, which shares no node with the arguments.
     *
     * @throws PatchException if the patch is malformed, not applicable or too large
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

    /**
     * Checks the form of an operation; must come first, because it distinguishes a malformed patch from one that is not
     * applicable.
     */
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
            default -> throw PatchException.notApplicable("Unexpected kind: " + op);
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
            throw PatchException.notApplicable("operation missing " + name + " field: missing value");
        }
        return JsonPointer.parse(text.textValue());
    }

    /** Returns a copy of the value, because later operations may modify it; null if it is missing, as in Kubernetes. */
    private static JsonNode value(JsonNode operation) {
        JsonNode value = operation.get("value");
        return value == null ? NullNode.getInstance() : value.deepCopy();
    }
}
