package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonFieldsTest {
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
    void same_emptyOrMissingFields_areEqual(String one, String other, boolean same) {
        assertThat(JsonFields.same(RuleCases.object(one), RuleCases.object(other)))
                .isEqualTo(same);
        assertThat(JsonFields.same(RuleCases.object(other), RuleCases.object(one)))
                .isEqualTo(same);
    }

    @Test
    void has_nullField_isMissing() {
        ObjectNode object = RuleCases.object("{a: null, b: {c: text, d: true}}");

        assertThat(JsonFields.has(object, "a")).isFalse();
        assertThat(JsonFields.has(object, "b")).isTrue();
        assertThat(JsonFields.text(object, "a")).isEmpty();
        assertThat(JsonFields.text(object, "b", "c")).isEqualTo("text");
        assertThat(JsonFields.text(object, "x", "y")).isEmpty();
        assertThat(JsonFields.isTrue(object.get("b"), "d")).isTrue();
        assertThat(JsonFields.isTrue(object.get("b"), "c")).isFalse();
    }

    @Test
    void takeFrom_field_isCopied() {
        ObjectNode from = RuleCases.object("{a: {b: 1}}");
        ObjectNode to = RuleCases.object("{a: {c: 1}, d: 1}");

        JsonFields.takeFrom(from, "a", to);
        JsonFields.takeFrom(from, "d", to);
        JsonFields.object(to, "a").put("b", 2);

        assertThat(to).isEqualTo(RuleCases.object("{a: {b: 2}}"));
        assertThat(from).isEqualTo(RuleCases.object("{a: {b: 1}}"));
    }

    @Test
    void bytes_text_countsUtf8Bytes() {
        assertThat(JsonFields.bytes("abc")).isEqualTo(3);
        assertThat(JsonFields.bytes("aä€😀")).isEqualTo(1 + 2 + 3 + 4);
    }
}
