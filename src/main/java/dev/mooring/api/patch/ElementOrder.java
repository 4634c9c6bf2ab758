package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Orders a merged list. Elements that the patch names come in the patch's order, the others in their original order,
 * interleaved by their original positions; new elements come before the remaining others.
 */
final class ElementOrder {
    private static final int NOT_FOUND = -1;

    private ElementOrder() {}

    /**
     * @param named the order of the patch
     * @param before the order of the object
     */
    static List<JsonNode> arrange(
            List<JsonNode> merged, List<JsonNode> named, List<JsonNode> before, ElementKeys keys) {
        Map<Object, Integer> namedAt = keys.indexByKey(named);
        Map<Object, Integer> beforeAt = keys.indexByKey(before);
        List<Element> ofPatch = new ArrayList<>();
        List<Element> ofObject = new ArrayList<>();
        for (JsonNode node : merged) {
            Object key = keys.of(node);
            Integer place = namedAt.get(key);
            int formerly = beforeAt.getOrDefault(key, NOT_FOUND);
            if (place != null) {
                ofPatch.add(new Element(node, place, formerly));
            } else {
                ofObject.add(new Element(node, formerly, formerly));
            }
        }
        ofPatch.sort(Comparator.comparingInt(Element::patchIndex));
        ofObject.sort(Comparator.comparingInt(Element::patchIndex));
        return interleave(ofPatch, ofObject);
    }

    private record Element(JsonNode node, int patchIndex, int formerIndex) {
        boolean wasBefore(Element other) {
            return formerIndex != NOT_FOUND && other.formerIndex != NOT_FOUND && formerIndex < other.formerIndex;
        }
    }

    private static List<JsonNode> interleave(List<Element> ofPatch, List<Element> ofObject) {
        List<JsonNode> arranged = new ArrayList<>(ofPatch.size() + ofObject.size());
        int next = 0;
        for (Element element : ofPatch) {
            while (next < ofObject.size() && ofObject.get(next).wasBefore(element)) {
                arranged.add(ofObject.get(next++).node());
            }
            arranged.add(element.node());
        }
        for (Element element : ofObject.subList(next, ofObject.size())) {
            arranged.add(element.node());
        }
        return arranged;
    }
}
