package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.FieldSelector.Operator;
import dev.mooring.model.FieldSelector.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldSelectorTest {
    @Test
    void fieldSelector_severalRequirements_areSorted() {
        assertThat(FieldSelector.parse("b!=2,a=1,,c==3").requirements())
                .containsExactly(
                        new Requirement("a", Operator.EQUALS, "1"),
                        new Requirement("b", Operator.NOT_EQUALS, "2"),
                        new Requirement("c", Operator.EQUALS, "3"));
    }

    @Test
    void fieldSelector_escapedCharacters_areRead() {
        assertThat(FieldSelector.parse("a=1\\,2\\=3\\\\,b=").requirements())
                .containsExactly(
                        new Requirement("a", Operator.EQUALS, "1,2=3\\"), new Requirement("b", Operator.EQUALS, ""));
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``                  | ``
        b=2,a==1            | a=1,b=2
        a!=x                | a!=x
        a=1\\,2             | a=1\\,2
        a=1\\=2             | a=1\\=2
        a=1\\\\             | a=1\\\\
        metadata.name=x     | metadata.name=x
        =x                  | =x
        """)
    void fieldSelector_toString_matchesKubernetes(String selector, String expected) {
        assertThat(FieldSelector.parse(selector)).hasToString(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        a           | invalid selector: 'a'; can't understand 'a'
        b=1,a       | invalid selector: 'b=1,a'; can't understand 'a'
        a=b=c       | invalid field selector: unescaped character in value: 61
        a===b       | invalid field selector: unescaped character in value: 61
        a=\\b       | invalid field selector: invalid escape sequence: \\b
        a=b\\       | invalid field selector: invalid escape sequence: \\
        a=\\😀      | invalid field selector: invalid escape sequence: \\😀
        """)
    void fieldSelector_invalid_isRejectedWithMessageOfKubernetes(String selector, String message) {
        assertThatThrownBy(() -> FieldSelector.parse(selector))
                .isInstanceOf(SelectorException.class)
                .hasMessage(message);
    }

    @Test
    void fieldSelector_withoutRequirements_isEverything() {
        assertThat(FieldSelector.parse("")).isSameAs(FieldSelector.everything());
        assertThat(FieldSelector.parse(",,").isEverything()).isTrue();
        assertThat(FieldSelector.parse("a=").isEverything()).isFalse();
    }
}
