package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.GoText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Identifies the elements of a list: objects by a field, others by value. Keys are hashable, so that long lists are
 * merged in linear time.
 */
record ElementKeys(Optional<String> mergeKey) {

    /** @throws PatchException if the element has no key */
    Object of(JsonNode element) {
        if (mergeKey.isEmpty()) {
            return scalar(element);
        }
        String key = mergeKey.get();
        if (!element.isObject()) {
            throw PatchException.malformed(
                    "expected a " + GoText.OBJECT + ", but received a " + GoText.typeOf(element));
        }
        JsonNode value = element.get(key);
        if (value == null) {
            throw PatchException.malformed(
                    "map: " + GoText.plain(element) + " does not contain declared merge key: " + key);
        }
        return scalar(value);
    }

    /** Returns the first index of each element. */
    Map<Object, Integer> indexByKey(List<JsonNode> list) {
        Map<Object, Integer> places = new HashMap<>(2 * list.size());
        for (int i = 0; i < list.size(); i++) {
            places.putIfAbsent(of(list.get(i)), i);
        }
        return places;
    }

    /** Returns a key for a scalar; equal numbers have equal keys regardless of their node types. */
    private static Object scalar(JsonNode value) {
        if (value.isIntegralNumber()) {
            return value.canConvertToLong() ? (Object) value.longValue() : value.bigIntegerValue();
        }
        return value.isNumber() ? (Object) value.doubleValue() : value;
    }
}
