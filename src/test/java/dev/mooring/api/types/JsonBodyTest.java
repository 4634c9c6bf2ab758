package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.DecimalNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBodyTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void parse_validJson_equalsJacksonTree() throws Exception {
        String text = """
            {"a": [1, -2147483649, 99999999999999999999, 1.5, 1e3, true, false, null, "x\\u00e9", {}, []],
             "b": {"c": {"d": "e"}}}
            """;

        assertThat(parse(text).root()).isEqualTo(JSON.readTree(text));
        assertThat(parse(text).duplicates()).isEmpty();
    }

    @Test
    void parse_fractionBeyondDoublePrecision_keepsAllDigits() {
        assertThat(parse("0.12345678901234567891").root())
                .isInstanceOf(DecimalNode.class)
                .hasToString("0.12345678901234567891");
        assertThat(parse("1e300").root().decimalValue()).isEqualByComparingTo("1e300");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'a':1,'a':2}|duplicate field \"a\"",
                "{'metadata':{'labels':{'a':'1','b':'2','a':'3'}}}|duplicate field \"metadata.labels.a\"",
                "{'l':[{},{'x':1,'x':{}}]}|duplicate field \"l[1].x\"",
                "{'l':[{'x':{'y':[]},'x':3,'x':4}]}|duplicate field \"l[0].x\"",
                "{'a.b\"':1,'a.b\"':2}|duplicate field \"a.b\\\"\"",
            })
    void parse_duplicateFields_reportsTheirPaths(String text, String message) {
        if (text.contains("b\"")) {
            text = text.replace("\"", "\\\"");
        }
        assertThat(parse(text.replace('\'', '"')).duplicates()).containsExactly(message);
    }

    @Test
    void parse_duplicateField_keepsLastValue() {
        assertThat(parse("{\"a\":1,\"b\":0,\"a\":{\"c\":2}}").root()).hasToString("{\"a\":{\"c\":2},\"b\":0}");
    }

    @Test
    void parse_moreThan64Levels_throws() {
        assertThat(parse("[".repeat(64) + "]".repeat(64)).root().size()).isEqualTo(1);
        assertThat(parse("{\"a\":".repeat(64) + "1" + "}".repeat(64)).root().size())
                .isEqualTo(1);
        assertThatThrownBy(() -> parse("[".repeat(65) + "]".repeat(65)))
                .isInstanceOf(BodyException.class)
                .hasMessageContaining("64");
        assertThatThrownBy(() -> parse("{\"a\":".repeat(100_000)))
                .isInstanceOf(BodyException.class)
                .hasMessageContaining("64");
    }

    @Test
    void parse_veryLongNumber_throws() {
        assertThatThrownBy(() -> parse("1".repeat(10_000))).isInstanceOf(BodyException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}}", "{} {}", "1 2", "{} x", "[1,]", "{\"a\":}", "{a:1}", "'a'", "nul", "01", "\"\u0001\"", "]"
            })
    void parse_notExactlyOneValue_throws(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(BodyException.class)
                .message()
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  \n", "{", "{\"a\"", "{\"a\":1", "[1,", "\"a"})
    void parse_truncatedText_throwsUnexpectedEnd(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(BodyException.class)
                .hasMessage("unexpected end of JSON input");
    }

    @Test
    void parse_syntaxError_namesLineAndToken() {
        assertThatThrownBy(() -> parse("{\n \"a\": x}"))
                .hasMessageContaining("line 2")
                .hasMessageContaining("x");
    }

    @Test
    void parse_invalidUtf8_throws() {
        assertThatThrownBy(() -> JsonBody.parse(new byte[] {'"', (byte) 0xff, (byte) 0xfe, '"'}))
                .isInstanceOf(BodyException.class);
    }

    private static ParsedBody parse(String text) {
        return JsonBody.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
