package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JsonMergePatchTest {
    /** Examples of appendix A and of section 3. */
    @TestFactory
    Stream<DynamicTest> apply_examplesOfRfc7386_giveListedResults() {
        return PatchCases.of("""
            - {case: a1, before: {a: b}, patch: {a: c}, after: {a: c}}
            - {case: a2, before: {a: b}, patch: {b: c}, after: {a: b, b: c}}
            - {case: a3, before: {a: b}, patch: {a: null}, after: {}}
            - {case: a4, before: {a: b, b: c}, patch: {a: null}, after: {b: c}}
            - {case: a5, before: {a: [b]}, patch: {a: c}, after: {a: c}}
            - {case: a6, before: {a: c}, patch: {a: [b]}, after: {a: [b]}}
            - {case: a7, before: {a: {b: c}}, patch: {a: {b: d, c: null}}, after: {a: {b: d}}}
            - {case: a8, before: {a: [{b: c}]}, patch: {a: [1]}, after: {a: [1]}}
            - {case: a9, before: [a, b], patch: [c, d], after: [c, d]}
            - {case: a10, before: {a: b}, patch: [c], after: [c]}
            - {case: a11, before: {a: foo}, patch: null, after: null}
            - {case: a12, before: {a: foo}, patch: bar, after: bar}
            - {case: a13, before: {e: null}, patch: {a: 1}, after: {e: null, a: 1}}
            - {case: a14, before: [1, 2], patch: {a: b, c: null}, after: {a: b}}
            - {case: a15, before: {}, patch: {a: {bb: {ccc: null}}}, after: {a: {bb: {}}}}
            - case: section 3
              before: {title: Goodbye!, author: {givenName: John, familyName: Doe}, tags: [example, sample], content: This will be unchanged}
              patch: {title: Hello!, phoneNumber: +01-123-456-7890, author: {familyName: null}, tags: [example]}
              after: {title: Hello!, author: {givenName: John}, tags: [example], content: This will be unchanged, phoneNumber: +01-123-456-7890}
            """, JsonMergePatch::apply);
    }

    @Test
    void apply_patchTooDeep_throws() {
        JsonNode empty = JsonNodeFactory.instance.objectNode();

        assertThat(JsonMergePatch.apply(empty, nested(64))).isEqualTo(nested(64));
        assertThatThrownBy(() -> JsonMergePatch.apply(empty, nested(65))).hasMessage("exceeded max depth");
    }

    private static JsonNode nested(int depth) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("leaf", 1);
        for (int i = 1; i < depth; i++) {
            node = JsonNodeFactory.instance.objectNode().set("a", node);
        }
        return node;
    }
}
