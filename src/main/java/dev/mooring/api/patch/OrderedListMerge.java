package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.GoText;
import java.util.List;
import java.util.Optional;

/** Merges a list whose order the patch specifies with {@code $setElementOrder}. */
final class OrderedListMerge {
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
