package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;

/** A document to which the operations of a JSON patch are applied. Owns its nodes. Not thread-safe. */
final class PatchedDocument {
    /**
     * Limit of what copies may add, because a small patch could repeatedly double a document. The same as in
     * Kubernetes.
     */
    private static final long MAX_COPIED_CHARACTERS = 3 * 1024 * 1024;

    private static final int NO_INDEX = Integer.MIN_VALUE;

    private static final Comparator<JsonNode> NUMBERS_BY_VALUE = (one, other) -> {
        if (one.isIntegralNumber() && other.isIntegralNumber()) {
            return one.bigIntegerValue().compareTo(other.bigIntegerValue());
        }
        if (one.isNumber() && other.isNumber()) {
            return Double.compare(one.doubleValue(), other.doubleValue());
        }
        return one.equals(other) ? 0 : 1;
    };

    private JsonNode root;
    private long copied;

    PatchedDocument(JsonNode root) {
        this.root = root;
    }

    JsonNode root() {
        return root;
    }

    void add(JsonPointer path, JsonNode value) {
        requireShallow(path, value);
        if (path.isWhole()) {
            root = value;
            return;
        }
        JsonNode parent = parent("add", path);
        if (parent instanceof ObjectNode object) {
            object.set(path.last(), value);
        } else {
            ArrayNode list = (ArrayNode) parent;
            list.insert(path.last().equals("-") ? list.size() : index(path, list.size() + 1), value);
        }
    }

    void remove(JsonPointer path) {
        take("remove", path);
    }

    void replace(JsonPointer path, JsonNode value) {
        requireShallow(path, value);
        if (path.isWhole()) {
            root = value;
            return;
        }
        JsonNode parent = parent("replace", path);
        if (parent instanceof ArrayNode list) {
            list.set(index(path, list.size()), value);
        } else if (((ObjectNode) parent).replace(path.last(), value) == null) {
            throw missing("replace operation does not apply: doc is missing key: ", path);
        }
    }

    void move(JsonPointer from, JsonPointer path) {
        add(path, take("move", from));
    }

    void copy(JsonPointer from, JsonPointer path) {
        JsonNode value = find("copy", from);
        if (value.isMissingNode()) {
            throw missing("copy operation does not apply: doc is missing from path: ", from);
        }
        copied += value.toString().length();
        if (copied > MAX_COPIED_CHARACTERS) {
            throw PatchException.tooLarge("Unable to complete the copy, the accumulated size increase of copy is "
                    + copied + ", exceeding the limit " + MAX_COPIED_CHARACTERS);
        }
        add(path, value.deepCopy());
    }

    /** @param expected missing equals null, in the operation and in the document */
    void test(JsonPointer path, JsonNode expected) {
        JsonNode found = find("test", path);
        boolean nothing = found.isMissingNode() || found.isNull();
        boolean nothingExpected = expected.isMissingNode() || expected.isNull();
        if (nothing != nothingExpected || !(nothing || found.equals(NUMBERS_BY_VALUE, expected))) {
            throw PatchException.notApplicable("testing value " + text(path) + " failed: test failed");
        }
    }

    private JsonNode take(String operation, JsonPointer path) {
        if (path.isWhole()) {
            throw missing(operation + " operation does not apply: doc is missing path: ", path);
        }
        JsonNode parent = parent(operation, path);
        if (parent instanceof ArrayNode list) {
            return list.remove(index(path, list.size()));
        }
        JsonNode taken = ((ObjectNode) parent).remove(path.last());
        if (taken == null) {
            throw missing("Unable to remove nonexistent key: ", path);
        }
        return taken;
    }

    /** Returns the value; missing if its object has no such field. */
    private JsonNode find(String operation, JsonPointer path) {
        if (path.isWhole()) {
            return root;
        }
        JsonNode parent = parent(operation, path);
        return parent instanceof ArrayNode list ? list.get(index(path, list.size())) : parent.path(path.last());
    }

    /** Returns the object or list that contains the location. */
    private JsonNode parent(String operation, JsonPointer path) {
        JsonNode at = root;
        for (String name : path.parents()) {
            if (at instanceof ArrayNode list) {
                int index = parseIndex(name);
                at = list.path(index < 0 ? index + list.size() : index);
            } else {
                at = at.path(name);
            }
        }
        if (!at.isContainerNode()) {
            throw missing(operation + " operation does not apply: doc is missing path: ", path);
        }
        return at;
    }

    /** @param size of the list that the index must be in */
    private static int index(JsonPointer path, int size) {
        int index = parseIndex(path.last());
        if (index < -size || index >= size) {
            throw PatchException.notApplicable(
                    "Unable to access invalid index: " + path.last() + ": invalid index referenced");
        }
        return index < 0 ? index + size : index;
    }

    private static int parseIndex(String name) {
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException expected) {
            return NO_INDEX;
        }
    }

    private static void requireShallow(JsonPointer path, JsonNode value) {
        StrategicMergePatch.requireShallow(path.depth() + depth(value));
    }

    private static int depth(JsonNode value) {
        int deepest = 0;
        for (JsonNode each : value) {
            deepest = Math.max(deepest, depth(each));
        }
        return value.isContainerNode() ? deepest + 1 : 0;
    }

    private static PatchException missing(String what, JsonPointer path) {
        return PatchException.notApplicable(what + '"' + text(path) + "\": missing value");
    }

    private static String text(JsonPointer path) {
        return path.isWhole() ? "" : '/' + String.join("/", path.names());
    }
}
