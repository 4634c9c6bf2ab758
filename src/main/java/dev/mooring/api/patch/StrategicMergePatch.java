package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Kubernetes' strategic merge patch: a partial object that is merged according to the schema, with directives for what
 * a partial object cannot express.
 *
 * <ul>
 *   <li>{@code null} removes a field.
 *   <li>{@code $patch: replace} or {@code delete} in an object, or in an element of a merged list.
 *   <li>{@code $retainKeys: [a, b]} removes all fields of the object but these.
 *   <li>{@code $deleteFromPrimitiveList/x: [1]} removes elements from the list of scalars {@code x}.
 *   <li>{@code $setElementOrder/x: [{name: a}, {name: b}]} orders the list {@code x} after merging.
 * </ul>
 *
 * <p>Kubernetes keeps directives and nulls inside new values, to ignore or reject them later; here they are dropped.
 */
public final class StrategicMergePatch {
    /** The maximum nesting of a body, so that no accepted object is rejected here. */
    static final int MAX_DEPTH = 64;

    private StrategicMergePatch() {}

    /**
     * Returns the patched object, which shares no node with the arguments.
     *
     * @throws PatchException if the patch is malformed or not applicable
     */
    public static ObjectNode apply(ObjectNode original, ObjectNode patch, Struct type) {
        return merge(original.deepCopy(), patch, PatchSchema.of(type), 1);
    }

    static void requireShallow(int depth) {
        if (depth > MAX_DEPTH) {
            throw PatchException.tooDeep();
        }
    }

    /** Merges a patch; modifies the target and returns its replacement, usually the target itself. */
    static ObjectNode merge(ObjectNode target, ObjectNode patch, PatchSchema shape, int depth) {
        requireShallow(depth);
        JsonNode directive = patch.get(Directives.PATCH);
        if (directive != null) {
            return switch (directive.isTextual() ? directive.textValue() : "") {
                case Directives.REPLACE -> Directives.stripOwnDirectives(patch, depth);
                case Directives.DELETE -> JsonNodeFactory.instance.objectNode();
                default -> throw Directives.unknown(directive, patch);
            };
        }
        retainKeys(target, patch);
        Set<String> ordered = mergeOrderedLists(target, patch, shape, depth);
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            if (Directives.isDeletions(name)) {
                deleteFromList(target, Directives.listOfDeletions(name), value);
            } else if (!name.equals(Directives.RETAIN_KEYS)
                    && !Directives.isElementOrder(name)
                    && !ordered.contains(name)) {
                mergeField(target, name, value, shape.field(name), depth);
            }
        }
        return target;
    }

    private static void mergeField(ObjectNode target, String name, JsonNode value, PatchSchema shape, int depth) {
        JsonNode before = target.get(name);
        if (value.isNull()) {
            target.remove(name);
        } else if (before instanceof ObjectNode object && value instanceof ObjectNode change && !shape.isOpaque()) {
            target.set(name, merge(object, change, shape, depth + 1));
        } else if (before instanceof ArrayNode list && value instanceof ArrayNode change) {
            target.set(name, array(new ListMerge(shape, depth + 1).merge(elements(list), elements(change))));
        } else {
            Optional<JsonNode> kept = Directives.stripDirectives(value, depth + 1);
            kept.ifPresentOrElse(each -> target.set(name, each), () -> target.remove(name));
        }
    }

    private static void retainKeys(ObjectNode target, ObjectNode patch) {
        JsonNode directive = patch.get(Directives.RETAIN_KEYS);
        if (directive == null) {
            return;
        }
        if (!directive.isArray()) {
            throw badRetainKeys();
        }
        Set<String> retained = new HashSet<>();
        directive.forEach(key -> retained.add(key.isTextual() ? key.textValue() : ""));
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            String name = field.getKey();
            boolean sets = !field.getValue().isNull()
                    && !name.equals(Directives.RETAIN_KEYS)
                    && !Directives.isDeletions(name)
                    && !Directives.isElementOrder(name);
            if (sets && !retained.contains(name)) {
                throw badRetainKeys();
            }
        }
        target.retain(retained);
    }

    private static PatchException badRetainKeys() {
        return PatchException.malformed("invalid patch format of retainKeys");
    }

    private static void deleteFromList(ObjectNode target, String name, JsonNode deletions) {
        if (deletions.isNull()) {
            target.remove(name);
        } else if (target.get(name) instanceof ArrayNode list && deletions instanceof ArrayNode gone) {
            target.set(name, array(ListMerge.delete(elements(list), elements(gone))));
        }
    }

    /** Merges the lists whose order the patch specifies and returns their names. */
    private static Set<String> mergeOrderedLists(ObjectNode target, ObjectNode patch, PatchSchema shape, int depth) {
        Set<String> done = new HashSet<>();
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            if (Directives.isElementOrder(field.getKey())) {
                List<JsonNode> order = requireList(field.getValue());
                String name = Directives.listOfElementOrder(field.getKey());
                Optional<List<JsonNode>> before =
                        Optional.ofNullable(target.get(name)).map(StrategicMergePatch::requireList);
                Optional<List<JsonNode>> change =
                        Optional.ofNullable(patch.get(name)).map(StrategicMergePatch::requireList);
                new OrderedListMerge(shape.field(name), order, depth + 1)
                        .merge(before, change)
                        .ifPresent(merged -> target.set(name, array(merged)));
                done.add(name);
            }
        }
        return done;
    }

    private static List<JsonNode> requireList(JsonNode value) {
        if (value instanceof ArrayNode list) {
            return elements(list);
        }
        throw PatchException.malformed("expected a []interface {}, but received a " + GoText.typeOf(value));
    }

    private static List<JsonNode> elements(ArrayNode list) {
        List<JsonNode> elements = new ArrayList<>(list.size());
        list.forEach(elements::add);
        return elements;
    }

    private static ArrayNode array(List<JsonNode> elements) {
        return JsonNodeFactory.instance.arrayNode(elements.size()).addAll(elements);
    }

    /** Merges a list whose order the patch specifies with {@code $setElementOrder}. */
    private static final class OrderedListMerge {
        private final PatchSchema shape;
        private final List<JsonNode> order;
        private final int depth;
        private final ElementKeys keys;

        OrderedListMerge(PatchSchema shape, List<JsonNode> order, int depth) {
            this.shape = shape;
            this.order = order;
            this.depth = depth;
            this.keys = new ElementKeys(shape.mergeKey());
        }

        /** @return empty if neither the object nor the patch has the list */
        Optional<List<JsonNode>> merge(Optional<List<JsonNode>> original, Optional<List<JsonNode>> patch) {
            patch.ifPresent(this::requireSameOrder);
            if (original.isEmpty() && patch.isEmpty()) {
                return Optional.empty();
            }
            List<JsonNode> before = original.orElse(List.of());
            List<JsonNode> change = patch.orElse(List.of());
            ListMerge lists = new ListMerge(shape, depth);
            List<JsonNode> merged;
            if (original.isEmpty()) {
                merged = lists.withoutDirectives(change);
            } else {
                merged = patch.isEmpty() ? before : lists.merge(before, change);
            }
            if (ListMerge.elementsAreObjects(before, change) && shape.mergeKey().isEmpty() && !order.isEmpty()) {
                throw PatchException.malformed(
                        "map: " + GoText.plain(order.get(0)) + " does not contain declared merge key: ");
            }
            return Optional.of(ElementOrder.arrange(merged, order, before, keys));
        }

        /** Checks that the patch's elements are in the order that it specifies. */
        private void requireSameOrder(List<JsonNode> patch) {
            if (order.isEmpty()) {
                return;
            }
            int at = 0;
            for (JsonNode element : patch) {
                if (element.has(Directives.PATCH)) {
                    continue;
                }
                Object key = keys.of(element);
                while (at < order.size() && !keys.of(order.get(at)).equals(key)) {
                    at++;
                }
                if (at == order.size()) {
                    throw PatchException.malformed("The order in patch list:\n" + GoText.plain(patch)
                            + "\n doesn't match $setElementOrder list:\n" + GoText.plain(order) + "\n");
                }
                at++;
            }
        }
    }
}
