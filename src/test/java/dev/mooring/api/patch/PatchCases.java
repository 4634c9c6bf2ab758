package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;

/**
 * Creates tests from a table in YAML: {@code case}, {@code before}, {@code patch}, and either {@code after} or
 * {@code refused} with the detail of the refusal and its {@code status}. Fields of the result must be in the given
 * order; the arguments must stay unchanged.
 */
final class PatchCases {
    private static final YAMLMapper YAML = new YAMLMapper();

    private PatchCases() {}

    static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<DynamicTest> of(String table, BinaryOperator<JsonNode> apply) {
        return StreamSupport.stream(yaml(table).spliterator(), false)
                .map(row -> DynamicTest.dynamicTest(row.path("case").asText(), () -> check(row, apply)));
    }

    private static void check(JsonNode row, BinaryOperator<JsonNode> apply) {
        JsonNode before = row.get("before");
        JsonNode patch = row.get("patch");
        JsonNode untouched = row.deepCopy();

        if (row.has("refused")) {
            assertThatThrownBy(() -> apply.apply(before, patch)).isInstanceOfSatisfying(PatchException.class, e -> {
                assertThat(e.detail()).isEqualTo(row.get("refused").asText());
                assertThat(e.status()).isEqualTo(row.path("status").asInt(400));
            });
        } else {
            assertThat(apply.apply(before, patch)).hasToString(row.get("after").toString());
        }
        assertThat(row).isEqualTo(untouched);
    }
}
