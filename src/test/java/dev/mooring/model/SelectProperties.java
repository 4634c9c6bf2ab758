package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.model.FieldSelector.Requirement;
import dev.mooring.model.LabelRequirement.Operator;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Fields are read like from a JSON tree, and selectors are parsed from their printed form without loss. */
class SelectProperties {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Few names, so that paths often exist in objects. */
    @Provide
    Arbitrary<String> name() {
        return Arbitraries.of("a", "b", "c");
    }

    private Arbitrary<Object> value(int depth) {
        Arbitrary<Object> scalar = Arbitraries.of("", "x", "\"é\\", true, false, 0, -1.5, 1e300);
        if (depth == 0) {
            return scalar;
        }
        return Arbitraries.frequencyOf(
                Tuple.of(3, scalar),
                Tuple.of(1, value(depth - 1).list().ofMaxSize(2).map(each -> (Object) each)),
                Tuple.of(3, object(depth).map(each -> (Object) each)));
    }

    private Arbitrary<Map<String, Object>> object(int depth) {
        return Arbitraries.maps(name(), value(depth - 1)).ofMinSize(1).ofMaxSize(3);
    }

    @Provide
    Arbitrary<Map<String, Object>> object() {
        return object(4);
    }

    @Provide
    Arbitrary<List<FieldPath>> paths() {
        return name().list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(FieldPath::new)
                .list()
                .ofMaxSize(5)
                .uniqueElements();
    }

    @Property
    void objectFields_anyObject_equalFieldsOfJsonTree(
            @ForAll("object") Map<String, Object> object, @ForAll("paths") List<FieldPath> paths)
            throws JsonProcessingException {
        byte[] json = JSON.writeValueAsBytes(object);
        JsonNode tree = JSON.valueToTree(object);

        assertThat(ObjectFields.at(paths).read(json))
                .isEqualTo(paths.stream().map(path -> textAt(path, tree)).toList());
    }

    private static String textAt(FieldPath path, JsonNode tree) {
        JsonNode at = tree;
        for (String name : path.names()) {
            at = at.path(name);
        }
        return at.isContainerNode() ? "" : at.asText("");
    }

    @Provide
    Arbitrary<String> word() {
        return Arbitraries.of("in", "notin", "a", "b.c", "1", "22", "x-y_z");
    }

    @Provide
    Arbitrary<LabelRequirement> labelRequirement() {
        Arbitrary<String> key =
                Combinators.combine(Arbitraries.of("", "d.e/"), word()).as(String::concat);
        Arbitrary<List<String>> values = Arbitraries.oneOf(word(), Arbitraries.just(""))
                .list()
                .uniqueElements()
                .ofMinSize(1)
                .ofMaxSize(3);
        return Combinators.combine(Arbitraries.of(Operator.class), key, values)
                .as((operator, name, list) -> switch (operator) {
                    case EXISTS, DOES_NOT_EXIST -> new LabelRequirement(name, operator, List.of());
                    case GREATER_THAN, LESS_THAN -> new LabelRequirement(name, operator, List.of("5"));
                    case IN, NOT_IN ->
                        new LabelRequirement(
                                name, operator, list.stream().sorted().toList());
                    case EQUALS, DOUBLE_EQUALS, NOT_EQUALS -> new LabelRequirement(name, operator, list.subList(0, 1));
                });
    }

    @Provide
    Arbitrary<LabelSelector> labelSelector() {
        return labelRequirement().list().ofMaxSize(4).map(LabelSelector::of);
    }

    @Property
    void labelSelector_printed_isParsedUnchanged(@ForAll("labelSelector") LabelSelector selector) {
        assertThat(LabelSelector.parse(selector.toString())).isEqualTo(selector);
    }

    @Property
    void fieldSelector_printed_isParsedUnchanged(@ForAll("fieldSelector") FieldSelector selector) {
        FieldSelector read = FieldSelector.parse(selector.toString());

        assertThat(read.requirements()).containsExactlyInAnyOrderElementsOf(selector.requirements());
        assertThat(FieldSelector.parse(read.toString())).isEqualTo(read);
    }

    @Provide
    Arbitrary<FieldSelector> fieldSelector() {
        Arbitrary<String> value = Arbitraries.strings().withChars("a,=\\!é ").ofMaxLength(6);
        return Combinators.combine(name(), Arbitraries.of(FieldSelector.Operator.class), value)
                .as(Requirement::new)
                .list()
                .ofMaxSize(4)
                .map(FieldSelector::new);
    }
}
