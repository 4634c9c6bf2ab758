package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlBodyTest {

    @Test
    void parse_yaml_equalsJsonTree() {
        String yaml = """
            # a claim
            kind: PersistentVolumeClaim
            spec:
              accessModes: [ReadWriteOnce]
              resources:
                requests:
                  storage: 1Gi
              text: |
                two
                lines
            """;

        assertThat(parse(yaml).root())
                .isEqualTo(JsonBody.parse("""
                    {"kind":"PersistentVolumeClaim","spec":{"accessModes":["ReadWriteOnce"],
                     "resources":{"requests":{"storage":"1Gi"}},"text":"two\\nlines\\n"}}\
                    """.getBytes(StandardCharsets.UTF_8)).root());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "1|1",
                "-17|-17",
                "+3|3",
                "0777|511",
                "0o17|\"0o17\"",
                "0x1F|31",
                "1_000|1000",
                "3000000000|3000000000",
                "99999999999999999999|99999999999999999999",
                "1.5|1.5",
                "1e3|1000.0",
                ".inf|\".inf\"",
                "1:30|\"1:30\"",
                "yes|true",
                "Off|false",
                "true|true",
                "y|\"y\"",
                "null|null",
                "\"1\"|\"1\"",
                "'yes'|\"yes\"",
                "2026-01-31|\"2026-01-31\"",
                "2026-01-31T12:00:00Z|\"2026-01-31T12:00:00Z\"",
                "!!str 5|\"5\"",
                "{\"a\": [1, null]}|{\"a\":[1,null]}",
                "{1: a, true: b}|{\"1\":\"a\",\"true\":\"b\"}",
            })
    void parse_scalars_matchKubernetes(String yaml, String json) {
        assertThat(parse(yaml).root()).hasToString(json);
    }

    @Test
    void parse_emptyDocument_isNull() {
        assertThat(parse("# nothing\n").root().isNull()).isTrue();
    }

    @Test
    void parse_aliasesAndMergeKeys_areResolved() {
        String yaml = """
            base: &base {a: 1, b: 2}
            copy: *base
            more:
              <<: *base
              b: 3
            both:
              <<: [*base, {a: 9, c: 4}]
            """;

        assertThat(parse(yaml).root())
                .hasToString("{\"base\":{\"a\":1,\"b\":2},\"copy\":{\"a\":1,\"b\":2},"
                        + "\"more\":{\"b\":3,\"a\":1},\"both\":{\"a\":1,\"b\":2,\"c\":4}}");
        assertThat(parse(yaml).duplicates()).isEmpty();
    }

    @Test
    void parse_duplicateFields_reportsTheirPaths() {
        ParsedBody parsed = parse("spec:\n  list:\n  - a: 1\n    a: 2\n");

        assertThat(parsed.root()).hasToString("{\"spec\":{\"list\":[{\"a\":2}]}}");
        assertThat(parsed.duplicates()).containsExactly("duplicate field \"spec.list[0].a\"");
    }

    @Test
    void parse_aliasBomb_throws() {
        StringBuilder wide = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            wide.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(9)));
        }
        StringBuilder narrow = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 24; i++) {
            narrow.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        String text = "a: &a " + "x".repeat(10_000) + "\nl: [" + "*a, ".repeat(1000) + "]";

        for (String bomb : new String[] {wide.toString(), narrow.toString(), text}) {
            assertThatThrownBy(() -> parse(bomb))
                    .isInstanceOf(BodyException.class)
                    .hasMessageEndingWith("document contains excessive aliasing");
        }
    }

    @Test
    void parse_moreThan64Levels_throws() {
        assertThat(parse("[".repeat(60) + "]".repeat(60)).root().size()).isEqualTo(1);
        assertThatThrownBy(() -> parse("[".repeat(70) + "]".repeat(70)))
                .isInstanceOf(BodyException.class)
                .hasMessageContaining("64");
        assertThatThrownBy(() -> parse("[".repeat(100_000))).isInstanceOf(BodyException.class);
        assertThatThrownBy(() -> parse("a: &a [*a]"))
                .isInstanceOf(BodyException.class)
                .hasMessageContaining("64");
    }

    @Test
    void parse_severalDocuments_throws() {
        assertThatThrownBy(() -> parse("a: 1\n---\nb: 2\n"))
                .isInstanceOf(BodyException.class)
                .hasMessage("body must be one YAML document, got several separated by ---");
        assertThat(parse("---\na: 1\n").root()).hasToString("{\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: [", "a: b: c", "\tx: 1", "a: *unknown", "{[1]: 2}", "a: \"\\q\"", "x: {<<: 3}"})
    void parse_syntaxError_namesTheLine(String yaml) {
        assertThatThrownBy(() -> parse("# first\n" + yaml))
                .isInstanceOf(BodyException.class)
                .hasMessageStartingWith("error converting YAML to JSON: yaml: line 2: ");
    }

    @Test
    void parse_javaTag_throwsAndCreatesNoObject() {
        assertThatThrownBy(() -> parse("!!javax.script.ScriptEngineManager [!!java.net.URL [\"http://x\"]]"))
                .isInstanceOf(BodyException.class)
                .hasMessageContaining("tag is not allowed");
        assertThat(parse("!mine [1]").root()).hasToString("[1]");
    }

    private static ParsedBody parse(String text) {
        return YamlBody.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
