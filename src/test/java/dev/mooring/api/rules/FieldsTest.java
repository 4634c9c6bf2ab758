package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # one                    | other                    | same
        {a: 1}                   | {a: 1}                   | true
        {a: 1}                   | {a: 1.0}                 | true
        {a: 1}                   | {a: 2}                   | false
        {a: 1}                   | {a: '1'}                 | false
        {a: 1, b: false}         | {a: 1}                   | true
        {a: 1}                   | {a: 1, b: 0}             | true
        {a: 1, b: null}          | {a: 1, b: ''}            | true
        {a: 1, b: []}            | {a: 1, b: {}}            | true
        {a: {b: {c: ''}}}        | {}                       | true
        {a: {b: {c: x}}}         | {}                       | false
        {a: [1, 2]}              | {a: [1, 2]}              | true
        {a: [1, 2]}              | {a: [2, 1]}              | false
        {a: [1, 2]}              | {a: [1]}                 | false
        {a: ['']}                | {}                       | false
        {a: [{b: false}]}        | {a: [{}]}                | true
        {a: true}                | {a: false}               | false
        """)
    void comparesAsKubernetesStores(String one, String other, boolean same) {
        assertThat(Fields.same(RuleCases.object(one), RuleCases.object(other))).isEqualTo(same);
        assertThat(Fields.same(RuleCases.object(other), RuleCases.object(one))).isEqualTo(same);
    }

    @Test
    void takesNullForNothing() {
        ObjectNode object = RuleCases.object("{a: null, b: {c: text, d: true}}");

        assertThat(Fields.has(object, "a")).isFalse();
        assertThat(Fields.has(object, "b")).isTrue();
        assertThat(Fields.text(object, "a")).isEmpty();
        assertThat(Fields.text(object, "b", "c")).isEqualTo("text");
        assertThat(Fields.text(object, "x", "y")).isEmpty();
        assertThat(Fields.isTrue(object.get("b"), "d")).isTrue();
        assertThat(Fields.isTrue(object.get("b"), "c")).isFalse();
    }

    @Test
    void copiesWhatItTakes() {
        ObjectNode from = RuleCases.object("{a: {b: 1}}");
        ObjectNode to = RuleCases.object("{a: {c: 1}, d: 1}");

        Fields.takeFrom(from, "a", to);
        Fields.takeFrom(from, "d", to);
        Fields.object(to, "a").put("b", 2);

        assertThat(to).isEqualTo(RuleCases.object("{a: {b: 2}}"));
        assertThat(from).isEqualTo(RuleCases.object("{a: {b: 1}}"));
    }

    @Test
    void countsBytesOfUtf8() {
        assertThat(Fields.bytes("abc")).isEqualTo(3);
        assertThat(Fields.bytes("aä€😀")).isEqualTo(1 + 2 + 3 + 4);
    }
}
