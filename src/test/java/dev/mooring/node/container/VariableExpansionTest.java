package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class VariableExpansionTest {
    private static final Map<String, String> VALUES = Map.of("A", "1", "B", "$(A)", "EMPTY", "");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        plain            | plain
        $(A)             | 1
        x$(A)y$(A)       | x1y1
        $(B)             | $(A)
        <$(EMPTY)>       | <>
        $(UNKNOWN)       | $(UNKNOWN)
        $()              | $()
        $$(A)            | $(A)
        $$$(A)           | $1
        $$$$(A)          | $$(A)
        $$               | $
        $                | $
        a$               | a$
        $A               | $A
        ${A}             | ${A}
        $(A              | $(A
        $(A$(A)          | $(A$(A)
        $x$(A)           | $x1
        (A)              | (A)
        $((A))           | $((A))
        """)
    void expand_matchesTheKubelet(String text, String expanded) {
        assertThat(VariableExpansion.expand(text, VALUES)).isEqualTo(expanded);
    }
}
