package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests sets of fields and their encoding in managedFields. */
class FieldSetTest {
    private static FieldSet set(String fields) {
        try {
            return FieldsV1.decode(SampleKind.json(fields));
        } catch (UndecodableFieldsException unreadable) {
            throw new IllegalArgumentException(unreadable);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{'f:b': {}, 'f:a': {}}; {'f:a': {}, 'f:b': {}}",
                "{'f:a': {'f:x': {}, '.': {}}}; {'f:a': {'.': {}, 'f:x': {}}}",
                "{'f:a': {'.': {}}}; {'f:a': {}}",
                "{'k:{ \"b\": 1, \"a\": \"x\" }': {}}; {'k:{\"a\":\"x\",\"b\":1}': {}}",
                "{'k:{ \"a\":1}': {'f:x': {}}, 'k:{\"a\":1}': {}}; {'k:{\"a\":1}': {'.': {}, 'f:x': {}}}",
                "{'v:\"b\"': {}, 'v:true': {}, 'v:10': {}, 'v:9': {}, 'v:\"a/b\"': {}, 'v:\"a\"': {}}; "
                        + "{'v:9': {}, 'v:10': {}, 'v:\"a\"': {}, 'v:\"a/b\"': {}, 'v:\"b\"': {}, 'v:true': {}}",
                "{'i:10': {}, 'i:9': {}, 'v:1': {}, 'k:{\"a\":1}': {}, 'f:z': {}}; "
                        + "{'f:z': {}, 'k:{\"a\":1}': {}, 'v:1': {}, 'i:9': {}, 'i:10': {}}",
                "{'z:unknown': {}, 'f:a': {}}; {'f:a': {}}",
                "{'v:\"a\\\\u003cb\"': {}}; {'v:\"a\\\\u003cb\"': {}}",
                "{'v:\"<\"': {}}; {'v:\"\\\\u003c\"': {}}"
            })
    void decode_anyOrder_encodesInCanonicalOrder(String read, String written) {
        assertThat(set(read)).hasToString(SampleKind.json(written).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"x; key must be 2 characters long", "fx; missing colon: fx", "i:x; parsing i:x: invalid syntax"})
    void decode_invalidPathElement_throws(String step, String message) {
        assertThatThrownBy(() -> FieldsV1.decode(SampleKind.json("{'" + step + "': {}}")))
                .isInstanceOf(UndecodableFieldsException.class)
                .hasMessage(message);
    }

    @Test
    void format_paths_matchesKubernetes() {
        FieldSet set = set("""
            {'f:spec': {'f:list': {'k:{"name":"c"}': {'.': {}, 'f:image': {}}, 'k:{"port":80,"protocol":"TCP"}': {}},
                        'f:set': {'v:"x"': {}, 'v:5': {}}, 'f:old': {'i:3': {}}}}\
            """);
        assertThat(set.paths().stream().map(FieldSet::format).collect(Collectors.toList()))
                .containsExactly(
                        ".spec.list[name=\"c\"]",
                        ".spec.list[port=80,protocol=\"TCP\"]",
                        ".spec.list[name=\"c\"].image",
                        ".spec.old[3]",
                        ".spec.set[=5]",
                        ".spec.set[=\"x\"]");
        assertThat(set.has(List.of("f:spec", "f:list", "k:{\"name\":\"c\"}"))).isTrue();
        assertThat(set.has(List.of("f:spec", "f:list"))).isFalse();
    }

    @Test
    void difference_parentRemoved_keepsItsChildren() {
        FieldSet set = set("{'f:a': {'.': {}, 'f:x': {}}, 'f:b': {'f:y': {}}}");
        assertThat(set.difference(set("{'f:a': {}, 'f:b': {}}")))
                .isEqualTo(set("{'f:a': {'f:x': {}}, 'f:b': {'f:y': {}}}"));
        assertThat(set.difference(set("{'f:a': {'f:x': {}}}"))).isEqualTo(set("{'f:a': {}, 'f:b': {'f:y': {}}}"));
        assertThat(set.leaves()).isEqualTo(set("{'f:a': {'f:x': {}}, 'f:b': {'f:y': {}}}"));
    }
}
