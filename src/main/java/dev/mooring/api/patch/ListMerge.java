package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Merges a list of a strategic merge patch into that of the object: objects by merge key, scalars as a set. Modifies
 * the elements of the object's list.
 */
final class ListMerge {
    private final PatchSchema shape;
    private final int depth;

    /** @param shape of the list */
    ListMerge(PatchSchema shape, int depth) {
        this.shape = shape;
        this.depth = depth;
    }

    List<JsonNode> merge(List<JsonNode> original, List<JsonNode> patch) {
        if (shape.listStrategy() == PatchSchema.ListStrategy.REPLACED) {
            return withoutDirectives(patch);
        }
        if (original.isEmpty() && patch.isEmpty()) {
            return original;
        }
        return elementsAreObjects(original, patch) ? mergeObjects(original, patch) : mergeScalars(original, patch);
    }

    List<JsonNode> withoutDirectives(List<JsonNode> list) {
        List<JsonNode> kept = new ArrayList<>(list.size());
        list.forEach(element -> Directives.stripDirectives(element, depth + 1).ifPresent(kept::add));
        return kept;
    }

    /** Returns a list of scalars without the deletions, regardless of its merge strategy. */
    static List<JsonNode> delete(List<JsonNode> original, List<JsonNode> deletions) {
        if (original.isEmpty() && deletions.isEmpty()) {
            return original;
        }
        if (elementsAreObjects(original, deletions)) {
            throw PatchException.malformed("invalid patch format of primitive list");
        }
        ElementKeys keys = new ElementKeys(Optional.empty());
        Set<Object> gone = keys.indexByKey(deletions).keySet();
        return original.stream()
                .filter(element -> !gone.contains(keys.of(element)))
                .toList();
    }

    /**
     * Returns whether the elements are objects; all elements of both lists must be alike. False if there are no
     * elements.
     */
    static boolean elementsAreObjects(List<JsonNode> one, List<JsonNode> other) {
        String type = "";
        List<JsonNode> all = new ArrayList<>(one);
        all.addAll(other);
        for (JsonNode element : all) {
            String found = GoText.typeOf(element);
            if (element.isArray() && type.isEmpty()) {
                throw PatchException.notApplicable("lists of lists are not supported");
            }
            if (element.isNull() || !(type.isEmpty() || type.equals(found))) {
                throw PatchException.malformed("list element types are not identical: [" + GoText.plain(one) + ' '
                        + GoText.plain(other) + ']');
            }
            type = found;
        }
        return type.equals(GoText.OBJECT);
    }

    private List<JsonNode> mergeScalars(List<JsonNode> original, List<JsonNode> patch) {
        ElementKeys keys = new ElementKeys(shape.mergeKey());
        Map<Object, JsonNode> merged = new LinkedHashMap<>();
        original.forEach(element -> merged.putIfAbsent(keys.of(element), element));
        patch.forEach(element -> merged.putIfAbsent(keys.of(element), element));
        return ElementOrder.arrange(new ArrayList<>(merged.values()), patch, original, keys);
    }

    private List<JsonNode> mergeObjects(List<JsonNode> original, List<JsonNode> patch) {
        if (shape.mergeKey().isEmpty()) {
            throw PatchException.malformed("cannot merge lists without merge key for struct");
        }
        ElementKeys keys = new ElementKeys(shape.mergeKey());
        Set<Object> deleted = new HashSet<>();
        List<JsonNode> plain = new ArrayList<>();
        boolean replace = false;
        for (JsonNode element : patch) {
            JsonNode directive = element.get(Directives.PATCH);
            if (directive == null) {
                plain.add(element);
                continue;
            }
            switch (directive.isTextual() ? directive.textValue() : "") {
                case Directives.DELETE -> deleted.add(keys.of(element));
                case Directives.REPLACE -> replace = true;
                case Directives.MERGE ->
                    throw PatchException.malformed("merging lists cannot yet be specified in the patch");
                default -> throw Directives.unknown(directive, element);
            }
        }
        if (replace) {
            // Fails, as Kubernetes does, if an element lacks its key.
            plain.forEach(keys::of);
            return withoutDirectives(plain);
        }
        List<JsonNode> before = new ArrayList<>(original);
        if (!deleted.isEmpty()) {
            before.removeIf(element -> element.has(shape.mergeKey().get()) && deleted.contains(keys.of(element)));
        }
        return ElementOrder.arrange(mergePlain(before, plain, keys), plain, before, keys);
    }

    private List<JsonNode> mergePlain(List<JsonNode> before, List<JsonNode> patch, ElementKeys keys) {
        List<JsonNode> merged = new ArrayList<>(before);
        Map<Object, Integer> places = new HashMap<>(keys.indexByKey(before));
        for (JsonNode element : patch) {
            Integer place = places.putIfAbsent(keys.of(element), merged.size());
            ObjectNode change = (ObjectNode) element;
            if (place == null) {
                merged.add(Directives.stripOwnDirectives(change, depth + 1));
            } else {
                ObjectNode target = (ObjectNode) merged.get(place);
                merged.set(place, StrategicMergePatch.merge(target, change, shape.element(), depth + 1));
            }
        }
        return merged;
    }
}
