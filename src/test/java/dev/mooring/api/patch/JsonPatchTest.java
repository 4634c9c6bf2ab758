package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JsonPatchTest {
    /** Appendix A without A.11 (unknown fields of operations are ignored) and A.13 (refused by a strict parser). */
    @TestFactory
    Stream<DynamicTest> apply_examplesOfRfc6902_giveListedResults() {
        return cases("""
            - {case: A.1, before: {foo: bar}, patch: [{op: add, path: /baz, value: qux}], after: {foo: bar, baz: qux}}
            - {case: A.2, before: {foo: [bar, baz]}, patch: [{op: add, path: /foo/1, value: qux}], after: {foo: [bar, qux, baz]}}
            - {case: A.3, before: {baz: qux, foo: bar}, patch: [{op: remove, path: /baz}], after: {foo: bar}}
            - {case: A.4, before: {foo: [bar, qux, baz]}, patch: [{op: remove, path: /foo/1}], after: {foo: [bar, baz]}}
            - {case: A.5, before: {baz: qux, foo: bar}, patch: [{op: replace, path: /baz, value: boo}], after: {baz: boo, foo: bar}}
            - {case: A.6, before: {foo: {bar: baz, waldo: fred}, qux: {corge: grault}}, patch: [{op: move, from: /foo/waldo, path: /qux/thud}], after: {foo: {bar: baz}, qux: {corge: grault, thud: fred}}}
            - {case: A.7, before: {foo: [all, grass, cows, eat]}, patch: [{op: move, from: /foo/1, path: /foo/3}], after: {foo: [all, cows, eat, grass]}}
            - {case: A.8, before: {baz: qux, foo: [a, 2, c]}, patch: [{op: test, path: /baz, value: qux}, {op: test, path: /foo/1, value: 2}], after: {baz: qux, foo: [a, 2, c]}}
            - {case: A.9, before: {baz: qux}, patch: [{op: test, path: /baz, value: bar}], refused: 'testing value /baz failed: test failed', status: 422}
            - {case: A.10, before: {foo: bar}, patch: [{op: add, path: /child, value: {grandchild: {}}}], after: {foo: bar, child: {grandchild: {}}}}
            - {case: A.12, before: {foo: bar}, patch: [{op: add, path: /baz/bat, value: qux}], refused: 'add operation does not apply: doc is missing path: "/baz/bat": missing value', status: 422}
            - {case: A.14, before: {/: 9, ~1: 10}, patch: [{op: test, path: /~01, value: 10}], after: {/: 9, ~1: 10}}
            - {case: A.15, before: {/: 9, ~1: 10}, patch: [{op: test, path: /~01, value: '10'}], refused: 'testing value /~1 failed: test failed', status: 422}
            - {case: A.16, before: {foo: [bar]}, patch: [{op: add, path: /foo/-, value: [abc, def]}], after: {foo: [bar, [abc, def]]}}
            """);
    }

    private static Stream<DynamicTest> cases(String table) {
        return PatchCases.of(table, JsonPatch::apply);
    }

    @TestFactory
    Stream<DynamicTest> apply_severalOperations_areAppliedInOrder() {
        return cases("""
            - {case: no operation, before: {a: 1}, patch: [], after: {a: 1}}
            - {case: into an added object, before: {}, patch: [{op: add, path: /a, value: {}}, {op: add, path: /a/b, value: 1}], after: {a: {b: 1}}}
            - {case: copy is independent, before: {a: {b: 1}}, patch: [{op: copy, from: /a, path: /c}, {op: replace, path: /c/b, value: 2}], after: {a: {b: 1}, c: {b: 2}}}
            - {case: copy within a list, before: {a: [1, 2]}, patch: [{op: copy, from: /a/0, path: /a/-}], after: {a: [1, 2, 1]}}
            - {case: move over another, before: {a: 1, b: 2}, patch: [{op: move, from: /a, path: /b}], after: {b: 1}}
            - {case: escaped names, before: {m: {}}, patch: [{op: add, path: /m/a~1b~0c, value: 1}], after: {m: {a/b~c: 1}}}
            - {case: an empty name, before: {m: {}}, patch: [{op: add, path: /m/, value: 1}], after: {m: {'': 1}}}
            - {case: from the end, before: {a: [1, 2, 3]}, patch: [{op: remove, path: /a/-1}, {op: replace, path: /a/-1, value: 9}], after: {a: [1, 9]}}
            - {case: through an element, before: {a: [{b: 1}, {b: 2}]}, patch: [{op: replace, path: /a/1/b, value: 3}, {op: replace, path: /a/-2/b, value: 4}], after: {a: [{b: 4}, {b: 3}]}}
            - {case: at the end of a list, before: {a: [1]}, patch: [{op: add, path: /a/1, value: 2}], after: {a: [1, 2]}}
            - {case: the whole document, before: {a: 1}, patch: [{op: test, path: '', value: {a: 1}}, {op: replace, path: '', value: {b: 2}}], after: {b: 2}}
            - {case: null as a value, before: {a: 1}, patch: [{op: add, path: /a, value: null}], after: {a: null}}
            - {case: no value is null, before: {a: 1}, patch: [{op: replace, path: /a}], after: {a: null}}
            - {case: test for null, before: {a: null}, patch: [{op: test, path: /a, value: null}, {op: test, path: /b, value: null}, {op: test, path: /b}], after: {a: null}}
            - {case: test regardless of the order of fields, before: {a: {b: 1, c: [2]}}, patch: [{op: test, path: /a, value: {c: [2], b: 1}}], after: {a: {b: 1, c: [2]}}}
            - {case: test of numbers, before: {a: 1, b: [2.0]}, patch: [{op: test, path: /a, value: 1.0}, {op: test, path: /b, value: [2]}], after: {a: 1, b: [2.0]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_operationNotApplicable_isRefused() {
        return cases("""
            - {case: remove missing field, before: {a: 1}, patch: [{op: remove, path: /b}], refused: 'Unable to remove nonexistent key: "/b": missing value', status: 422}
            - {case: remove document, before: {a: 1}, patch: [{op: remove, path: ''}], refused: 'remove operation does not apply: doc is missing path: "": missing value', status: 422}
            - {case: replace missing field, before: {a: 1}, patch: [{op: replace, path: /b, value: 1}], refused: 'replace operation does not apply: doc is missing key: "/b": missing value', status: 422}
            - {case: move missing field, before: {a: 1}, patch: [{op: move, from: /b, path: /c}], refused: 'Unable to remove nonexistent key: "/b": missing value', status: 422}
            - {case: move into itself, before: {a: {b: {}}}, patch: [{op: move, from: /a, path: /a/b}], refused: 'add operation does not apply: doc is missing path: "/a/b": missing value', status: 422}
            - {case: copy missing field, before: {a: 1}, patch: [{op: copy, from: /b, path: /c}], refused: 'copy operation does not apply: doc is missing from path: "/b": missing value', status: 422}
            - {case: through a scalar, before: {a: 1}, patch: [{op: add, path: /a/b, value: 1}], refused: 'add operation does not apply: doc is missing path: "/a/b": missing value', status: 422}
            - {case: test below missing field, before: {}, patch: [{op: test, path: /a/b, value: null}], refused: 'test operation does not apply: doc is missing path: "/a/b": missing value', status: 422}
            - {case: behind the end, before: {a: [1]}, patch: [{op: add, path: /a/2, value: 1}], refused: 'Unable to access invalid index: 2: invalid index referenced', status: 422}
            - {case: before the start, before: {a: [1]}, patch: [{op: remove, path: /a/-2}], refused: 'Unable to access invalid index: -2: invalid index referenced', status: 422}
            - {case: no index, before: {a: [1]}, patch: [{op: replace, path: /a/x, value: 1}], refused: 'Unable to access invalid index: x: invalid index referenced', status: 422}
            - {case: end of list is not an element, before: {a: [1]}, patch: [{op: remove, path: /a/-}], refused: 'Unable to access invalid index: -: invalid index referenced', status: 422}
            - {case: test of missing element, before: {a: [1]}, patch: [{op: test, path: /a/1, value: null}], refused: 'Unable to access invalid index: 1: invalid index referenced', status: 422}
            - {case: test of null for a value, before: {a: null}, patch: [{op: test, path: /a, value: 1}], refused: 'testing value /a failed: test failed', status: 422}
            - {case: test of a value for null, before: {a: 1}, patch: [{op: test, path: /a}], refused: 'testing value /a failed: test failed', status: 422}
            - {case: unknown operation, before: {}, patch: [{op: increment, path: /a}], refused: 'Unexpected kind: increment', status: 422}
            - {case: no operation, before: {}, patch: [{path: /a}], refused: 'Unexpected kind: unknown', status: 422}
            - {case: no path, before: {}, patch: [{op: add, value: 1}], refused: 'operation missing path field: missing value', status: 422}
            - {case: no from, before: {}, patch: [{op: copy, path: /a}], refused: 'operation missing from field: missing value', status: 422}
            - {case: path without slash, before: {}, patch: [{op: add, path: a, value: 1}], refused: 'JSON pointer must start with a slash, got "a"', status: 422}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_invalidPatch_isRefused() {
        return cases("""
            - {case: an object, before: {}, patch: {op: add}, refused: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'}
            - {case: a string, before: {}, patch: x, refused: 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'}
            - {case: a list of something else, before: {}, patch: [1], refused: 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'}
            - {case: a path that is no text, before: {}, patch: [{op: test, path: /a, value: 1}, {op: add, path: [], value: 1}], refused: 'error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string'}
            """);
    }

    @Test
    void apply_failedTest_throwsMessageOfKubernetes() {
        JsonNode patch = PatchCases.yaml("[{op: test, path: /metadata/labels/x, value: z}]");

        assertThatThrownBy(() -> JsonPatch.apply(PatchCases.yaml("{metadata: {labels: {x: y}}}"), patch))
                .hasMessage("the server rejected our request due to an error in our request");
    }

    @Test
    void apply_tooManyOperations_isRefused() {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 10_000; i++) {
            patch.addObject().put("op", "add").put("path", "/a/-").put("value", i);
        }
        assertThat(JsonPatch.apply(PatchCases.yaml("{a: []}"), patch).path("a")).hasSize(10_000);

        patch.addObject().put("op", "add").put("path", "/a/-").put("value", 1);
        assertThatThrownBy(() -> JsonPatch.apply(PatchCases.yaml("{a: []}"), patch))
                .isInstanceOfSatisfying(
                        PatchException.class, e -> assertThat(e.status()).isEqualTo(413))
                .hasMessage(
                        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");
    }

    @Test
    void apply_copiesTooLarge_isRefused() {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 3; i++) {
            patch.addObject().put("op", "copy").put("from", "/a").put("path", "/" + i);
        }
        JsonNode large = JsonNodeFactory.instance.objectNode().put("a", "x".repeat(1_000_000));
        assertThat(JsonPatch.apply(large, patch)).hasSize(4);

        patch.addObject().put("op", "copy").put("from", "/a").put("path", "/more");
        assertThatThrownBy(() -> JsonPatch.apply(large, patch))
                .isInstanceOfSatisfying(
                        PatchException.class, e -> assertThat(e.status()).isEqualTo(413))
                .hasMessage(
                        "Request entity too large: Unable to complete the copy, the accumulated size increase of copy"
                                + " is 4000008, exceeding the limit 3145728");
    }

    @Test
    void apply_repeatedCopyIntoItself_isRefused() {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 100; i++) {
            patch.addObject().put("op", "copy").put("from", "/a").put("path", "/a/-");
        }
        assertThatThrownBy(() -> JsonPatch.apply(PatchCases.yaml("{a: [x]}"), patch))
                .isInstanceOfSatisfying(
                        PatchException.class, e -> assertThat(e.status()).isEqualTo(413));
    }

    @Test
    void apply_resultTooDeep_throws() {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < 63; i++) {
            patch.addObject()
                    .put("op", "add")
                    .put("path", path.append("/a").toString())
                    .putObject("value");
        }
        assertThat(JsonPatch.apply(PatchCases.yaml("{}"), patch)
                        .at(path.toString())
                        .isObject())
                .isTrue();

        patch.addObject()
                .put("op", "add")
                .put("path", path.append("/a").toString())
                .putObject("value");
        assertThatThrownBy(() -> JsonPatch.apply(PatchCases.yaml("{}"), patch)).hasMessage("exceeded max depth");
    }
}
