package dev.mooring.api.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;

/**
 * Creates tests from a text table of objects and expected rows: a title, the object, and after an arrow all cells,
 * separated by bars. Cases are separated by empty lines.
 */
final class RowCases {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private RowCases() {}

    static List<DynamicTest> tests(List<Column> columns, String table) {
        return table
                .strip()
                .lines()
                .collect(Collectors.joining("\n"))
                .transform(text -> List.of(text.split("\n\n")))
                .stream()
                .map(row -> row.split("\n", 2))
                .map(row -> DynamicTest.dynamicTest(row[0], () -> check(columns, row[1])))
                .toList();
    }

    static String row(List<Column> columns, JsonNode object) {
        return columns.stream()
                .map(column -> String.valueOf(column.cell().of(object, NOW)))
                .collect(Collectors.joining(" | "));
    }

    private static void check(List<Column> columns, String text) {
        int arrow = text.lastIndexOf("→");
        String expected = text.substring(arrow + 1).strip();
        assertThat(row(columns, LenientJson.json(text.substring(0, arrow)))).isEqualToIgnoringWhitespace(expected);
    }
}
