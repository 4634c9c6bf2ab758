package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The differences between two states of an object: field by field, as a short summary, and as a JSON patch. Ignores
 * {@code metadata.managedFields} and {@code metadata.resourceVersion}, which change with every write. Immutable; pure.
 */
public final class ObjectDiff {
    /** Fields of {@code metadata} that are not compared. */
    private static final Set<String> IGNORED_METADATA = Set.of("managedFields", "resourceVersion");

    /** Fields that identify the elements of Kubernetes' lists, in order of preference. */
    private static final List<String> LIST_KEYS =
            List.of("uid", "name", "type", "key", "mountPath", "path", "containerPort", "port", "ip", "devicePath");

    private final JsonNode before;
    private final JsonNode after;
    private final List<FieldChange> fields;

    /**
     * A changed field.
     *
     * @param path such as {@code status.phase}, {@code status.conditions[Ready].status} or {@code metadata.labels[a/b]};
     *     ends in {@code []} for an element that was added to or removed from a list of scalars
     * @param from the value before; empty if the field was added
     * @param to the value afterwards; empty if the field was removed
     */
    public record FieldChange(String path, Optional<JsonNode> from, Optional<JsonNode> to) {
        /** Returns {@code {"path", "from", "to"}} without absent values. */
        public ObjectNode toJson() {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("path", path);
            from.ifPresent(value -> json.set("from", value));
            to.ifPresent(value -> json.set("to", value));
            return json;
        }
    }

    private ObjectDiff(JsonNode before, JsonNode after) {
        this.before = before;
        this.after = after;
        FieldWalker walker = new FieldWalker();
        walker.compare("", before, after);
        this.fields = List.copyOf(walker.found);
    }

    /** Compares two states; an empty object stands for an object that does not exist. Keeps both; does not modify them. */
    public static ObjectDiff between(JsonNode before, JsonNode after) {
        return new ObjectDiff(before, after);
    }

    /** Compares two stored states; empty for an object that does not exist. */
    public static ObjectDiff between(Optional<StoredObject> before, Optional<StoredObject> after) {
        return new ObjectDiff(tree(before), tree(after));
    }

    private static JsonNode tree(Optional<StoredObject> object) {
        return object.<JsonNode>map(StoredObject::tree).orElse(JsonValues.EMPTY_OBJECT);
    }

    /**
     * Returns the changed scalar fields. Elements of lists are matched by the field that identifies them in Kubernetes
     * (name, type, key, …), lists of distinct scalars are compared as sets; other lists are one value.
     */
    public List<FieldChange> fields() {
        return fields;
    }

    public boolean isEmpty() {
        return fields.isEmpty();
    }

    /** Returns whether something changed and all of it is in {@code status}. */
    public boolean isStatusOnly() {
        return !fields.isEmpty() && fields.stream().allMatch(field -> isIn("status", field.path()));
    }

    /**
     * Returns whether only details of the status changed, such as times, counters and addresses, but no phase, state,
     * condition, error or capacity. History hides such changes unless asked.
     */
    public boolean isStatusDetail() {
        return isStatusOnly() && !DiffSummary.isTelling(fields);
    }

    /**
     * Returns the change in a few words, the most telling fields first: {@code phase Pending → Bound, volumeName +pv1}.
     * For a new object, its most telling fields: {@code phase Pending, requests.storage 1Gi}. Has at most {@link
     * DiffSummary#MAX_LENGTH} characters and no control characters; empty if nothing changed or the object was removed.
     * Never contains the data of a Secret.
     */
    public String summary() {
        return after.isEmpty() ? "" : DiffSummary.of(before, after, fields);
    }

    /** Returns the JSON patch (RFC 6902) that turns the state before into the state afterwards. */
    public ArrayNode patch() {
        ArrayNode operations = JsonNodeFactory.instance.arrayNode();
        patch("", before, after, operations);
        return operations;
    }

    private static boolean isIn(String field, String path) {
        return path.startsWith(field)
                && (path.length() == field.length() || ".[".indexOf(path.charAt(field.length())) >= 0);
    }

    private static boolean isIgnored(String parent, String metadata, String name) {
        return parent.equals(metadata) && IGNORED_METADATA.contains(name);
    }

    private static Set<String> names(JsonNode left, JsonNode right) {
        Set<String> names = new LinkedHashSet<>();
        left.fieldNames().forEachRemaining(names::add);
        right.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static void patch(String pointer, JsonNode from, JsonNode to, ArrayNode operations) {
        if (JsonValues.areSameInstance(from, to)) {
            return;
        }
        if (from.isObject() && to.isObject()) {
            for (String name : names(from, to)) {
                if (isIgnored(pointer, "/metadata", name)) {
                    continue;
                }
                String below = pointer + '/' + name.replace("~", "~0").replace("/", "~1");
                if (to.get(name) == null) {
                    operation("remove", below, operations);
                } else if (from.get(name) == null) {
                    operation("add", below, operations).set("value", to.get(name));
                } else {
                    patch(below, from.get(name), to.get(name), operations);
                }
            }
        } else if (from.isArray() && to.isArray()) {
            patchList(pointer, from, to, operations);
        } else if (!JsonValues.areEqual(from, to)) {
            operation("replace", pointer, operations).set("value", to);
        }
    }

    /** Skips the elements that both lists begin and end with, and changes those between one by one. */
    private static void patchList(String pointer, JsonNode from, JsonNode to, ArrayNode operations) {
        int shorter = Math.min(from.size(), to.size());
        int start = 0;
        while (start < shorter && JsonValues.areEqual(from.get(start), to.get(start))) {
            start++;
        }
        int tail = 0;
        while (tail < shorter - start
                && JsonValues.areEqual(from.get(from.size() - 1 - tail), to.get(to.size() - 1 - tail))) {
            tail++;
        }
        for (int i = start; i < shorter - tail; i++) {
            patch(pointer + '/' + i, from.get(i), to.get(i), operations);
        }
        for (int i = from.size() - tail - 1; i >= shorter - tail; i--) {
            operation("remove", pointer + '/' + i, operations);
        }
        for (int i = shorter - tail; i < to.size() - tail; i++) {
            operation("add", pointer + '/' + i, operations).set("value", to.get(i));
        }
    }

    private static ObjectNode operation(String name, String pointer, ArrayNode operations) {
        return operations.addObject().put("op", name).put("path", pointer);
    }

    /** Collects the changed fields. A null value counts as absent. */
    private static final class FieldWalker {
        private final List<FieldChange> found = new ArrayList<>();

        void compare(String path, JsonNode from, JsonNode to) {
            if (JsonValues.areSameInstance(from, to) || (JsonValues.isAbsent(from) && JsonValues.isAbsent(to))) {
                return;
            }
            int count = found.size();
            boolean compared = false;
            if (isObjectOrAbsent(from) && isObjectOrAbsent(to)) {
                objects(path, orEmpty(from), orEmpty(to));
                compared = true;
            } else if (isListOrAbsent(from) && isListOrAbsent(to)) {
                compared = lists(path, orEmpty(from), orEmpty(to));
            }
            boolean isPresenceChange = JsonValues.isAbsent(from) != JsonValues.isAbsent(to);
            if (!compared || (isPresenceChange && found.size() == count)) {
                leaf(path, from, to);
            }
        }

        private void objects(String path, JsonNode from, JsonNode to) {
            for (String name : names(from, to)) {
                if (!isIgnored(path, "metadata", name)) {
                    compare(child(path, name), from.get(name), to.get(name));
                }
            }
        }

        private static String child(String path, String name) {
            if (path.isEmpty()) {
                return name;
            }
            boolean plain = !name.isEmpty() && name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_');
            return plain ? path + '.' + name : path + '[' + name + ']';
        }

        /** Compares element by element; returns false if the lists can only be compared as a whole. */
        private boolean lists(String path, JsonNode from, JsonNode to) {
            Optional<Map<String, JsonNode>> scalarsBefore = scalars(from);
            Optional<Map<String, JsonNode>> scalarsAfter = scalars(to);
            if (scalarsBefore.isPresent() && scalarsAfter.isPresent()) {
                return sets(path, scalarsBefore.get(), scalarsAfter.get());
            }
            for (String key : LIST_KEYS) {
                Optional<Map<String, JsonNode>> before = keyed(key, from);
                Optional<Map<String, JsonNode>> after = keyed(key, to);
                if (before.isPresent() && after.isPresent()) {
                    elements(path, key, before.get(), after.get());
                    return true;
                }
            }
            return false;
        }

        private boolean sets(String path, Map<String, JsonNode> from, Map<String, JsonNode> to) {
            int count = found.size();
            from.forEach((text, value) -> {
                if (!to.containsKey(text)) {
                    leaf(path + "[]", value, null);
                }
            });
            to.forEach((text, value) -> {
                if (!from.containsKey(text)) {
                    leaf(path + "[]", null, value);
                }
            });
            return found.size() > count;
        }

        /** Compares elements with the same key; their order has no meaning. */
        private void elements(String path, String key, Map<String, JsonNode> from, Map<String, JsonNode> to) {
            Set<String> names = new LinkedHashSet<>(from.keySet());
            names.addAll(to.keySet());
            for (String name : names) {
                String below = path + '[' + name + ']';
                JsonNode before = from.get(name);
                JsonNode after = to.get(name);
                int known = found.size();
                Set<String> fields = new LinkedHashSet<>(before == null ? Set.of() : names(before, before));
                fields.addAll(after == null ? Set.of() : names(after, after));
                fields.remove(key);
                for (String field : fields) {
                    compare(
                            child(below, field),
                            before == null ? null : before.get(field),
                            after == null ? null : after.get(field));
                }
                if (found.size() == known && (before == null || after == null)) {
                    leaf(below, before, after);
                }
            }
        }

        private void leaf(String path, JsonNode from, JsonNode to) {
            Optional<JsonNode> before = Optional.ofNullable(from).filter(value -> !value.isNull());
            Optional<JsonNode> after = Optional.ofNullable(to).filter(value -> !value.isNull());
            if (before.isEmpty() || after.isEmpty() || !JsonValues.areEqual(from, to)) {
                found.add(new FieldChange(path, before, after));
            }
        }

        /** Returns the elements if they are distinct scalars. */
        private static Optional<Map<String, JsonNode>> scalars(JsonNode list) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            for (JsonNode value : list) {
                if (!value.isValueNode() || values.put(value.asText(), value) != null) {
                    return Optional.empty();
                }
            }
            return Optional.of(values);
        }

        /** Returns the elements by a field, if all have it and its values are distinct. */
        private static Optional<Map<String, JsonNode>> keyed(String key, JsonNode list) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            for (JsonNode element : list) {
                JsonNode value = element.get(key);
                if (value == null || !value.isValueNode() || values.put(value.asText(), element) != null) {
                    return Optional.empty();
                }
            }
            return Optional.of(values);
        }

        private static boolean isObjectOrAbsent(JsonNode value) {
            return JsonValues.isAbsent(value) || value.isObject();
        }

        private static boolean isListOrAbsent(JsonNode value) {
            return JsonValues.isAbsent(value) || value.isArray();
        }

        private static JsonNode orEmpty(JsonNode value) {
            return JsonValues.isAbsent(value) ? JsonValues.EMPTY_OBJECT : value;
        }
    }
}
