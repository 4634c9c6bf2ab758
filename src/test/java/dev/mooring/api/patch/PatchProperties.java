package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectDiff;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Properties of patches that hold for any object. */
class PatchProperties {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Arbitrary<String> name() {
        return Arbitraries.of("a", "b", "c", "d");
    }

    private static Arbitrary<List<String>> names() {
        return name().list().uniqueElements().ofMaxSize(4);
    }

    private static Arbitrary<Map<String, Object>> item() {
        return Combinators.combine(
                        name(),
                        Arbitraries.integers().between(0, 3),
                        names(),
                        Arbitraries.maps(name(), name()).ofMaxSize(2))
                .as((name, value, tags, map) -> Map.of("name", name, "value", value, "tags", tags, "map", map));
    }

    private static <T> Arbitrary<List<T>> each(Arbitrary<T> item, Function<T, Object> key) {
        return item.list().uniqueElements(key).ofMaxSize(4);
    }

    /** Objects of the type {@link StrategicMergePatchTest#THING}, with undeclared fields. */
    @Provide
    Arbitrary<ObjectNode> thing() {
        Arbitrary<Map<String, Object>> nested = Combinators.combine(name(), each(item(), item -> item.get("name")))
                .as((name, items) -> Map.of("name", name, "items", items));
        Arbitrary<List<Map<String, Object>>> ports = each(
                Arbitraries.integers().between(1, 4).map(port -> Map.<String, Object>of("port", port)), port -> port);
        Arbitrary<Map<String, Object>> all = Combinators.combine(
                        item(),
                        each(item(), item -> item.get("name")),
                        names(),
                        each(nested, each -> each.get("name")),
                        ports,
                        name())
                .as((item, items, tags, nests, numbered, odd) -> Map.of(
                        "item",
                        item,
                        "items",
                        items,
                        "tags",
                        tags,
                        "nested",
                        nests,
                        "ports",
                        numbered,
                        "odd",
                        Map.of(odd, items),
                        "args",
                        tags));
        return Combinators.combine(
                        all,
                        Arbitraries.of("item", "items", "tags", "nested", "ports", "odd", "args")
                                .set())
                .as((fields, kept) -> {
                    ObjectNode thing = JSON.valueToTree(fields);
                    thing.retain(kept);
                    return thing;
                });
    }

    private static ObjectNode strategic(ObjectNode before, ObjectNode patch) {
        return StrategicMergePatch.apply(before, patch, StrategicMergePatchTest.THING);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void apply_emptyPatch_changesNothing(@ForAll("thing") ObjectNode thing) {
        ObjectNode empty = JsonNodeFactory.instance.objectNode();

        assertThat(strategic(thing, empty)).isEqualTo(thing);
        assertThat(JsonMergePatch.apply(thing, empty)).isEqualTo(thing);
        assertThat(JsonPatch.apply(thing, JsonNodeFactory.instance.arrayNode())).isEqualTo(thing);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void apply_patchOfDiff_givesTheStateAfterwards(
            @ForAll("thing") ObjectNode before, @ForAll("thing") ObjectNode after) {
        ObjectDiff diff = ObjectDiff.between(before, after);

        assertThat(JsonPatch.apply(before, diff.patch())).isEqualTo(after);
        assertThat(ObjectDiff.between(before, before).patch()).isEmpty();
        if (diff.patch().isEmpty()) {
            assertThat(diff.fields()).isEmpty();
        }
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void apply_objectToItself_changesNothing(@ForAll("thing") ObjectNode thing) {
        assertThat(strategic(thing, thing)).isEqualTo(thing);
        assertThat(JsonMergePatch.apply(thing, thing)).isEqualTo(thing);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void apply_samePatchTwice_equalsOnce(@ForAll("thing") ObjectNode before, @ForAll("thing") ObjectNode patch) {
        ObjectNode once = strategic(before, patch);

        assertThat(strategic(once, patch)).isEqualTo(once);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void apply_mergedList_containsBothListsInTheirOrders(
            @ForAll("names") List<String> before, @ForAll("names") List<String> patch) {
        JsonNode merged = strategic(tags(before), tags(patch)).path("tags");
        List<String> found =
                JSON.convertValue(merged, JSON.getTypeFactory().constructCollectionType(List.class, String.class));

        assertThat(found).doesNotHaveDuplicates().containsAll(before).containsAll(patch);
        assertThat(found.stream().filter(patch::contains)).containsExactlyElementsOf(patch);
        assertThat(found.stream().filter(each -> !patch.contains(each)))
                .containsExactlyElementsOf(
                        before.stream().filter(each -> !patch.contains(each)).toList());
    }

    @Provide("names")
    Arbitrary<List<String>> someNames() {
        return names();
    }

    private static ObjectNode tags(List<String> tags) {
        return JSON.valueToTree(Map.of("tags", tags));
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void apply_differenceOfTwoObjects_givesTheOther(
            @ForAll("object") ObjectNode one, @ForAll("object") ObjectNode other) {
        assertThat(JsonMergePatch.apply(one, difference(one, other))).isEqualTo(other);
    }

    private static JsonNode difference(JsonNode one, JsonNode other) {
        if (!one.isObject() || !other.isObject()) {
            return other;
        }
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        one.fieldNames().forEachRemaining(name -> {
            if (!other.has(name)) {
                patch.putNull(name);
            }
        });
        other.properties().forEach(field -> {
            JsonNode before = one.path(field.getKey());
            if (!before.equals(field.getValue())) {
                patch.set(field.getKey(), difference(before, field.getValue()));
            }
        });
        return patch;
    }

    @Provide
    Arbitrary<ObjectNode> object() {
        return object(3);
    }

    private static Arbitrary<ObjectNode> object(int depth) {
        Arbitrary<Object> scalar = Arbitraries.of("x", "", 1, 2.5, true);
        Arbitrary<Object> value = depth == 0
                ? scalar
                : Arbitraries.frequencyOf(
                        Tuple.of(2, scalar),
                        Tuple.of(1, object(depth - 1).list().ofMaxSize(2).map(list -> (Object) list)),
                        Tuple.of(2, object(depth - 1).map(object -> (Object) object)));
        return Arbitraries.maps(name(), value).ofMaxSize(3).map(JSON::valueToTree);
    }
}
