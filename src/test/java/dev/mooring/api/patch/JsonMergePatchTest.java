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
    /** Appendix A, and the example of section 3. */
    @TestFactory
    Stream<DynamicTest> doesWhatTheExamplesOfRfc7386Do() {
        return PatchCases.of("""
            - {what: a1, before: {a: b}, patch: {a: c}, after: {a: c}}
            - {what: a2, before: {a: b}, patch: {b: c}, after: {a: b, b: c}}
            - {what: a3, before: {a: b}, patch: {a: null}, after: {}}
            - {what: a4, before: {a: b, b: c}, patch: {a: null}, after: {b: c}}
            - {what: a5, before: {a: [b]}, patch: {a: c}, after: {a: c}}
            - {what: a6, before: {a: c}, patch: {a: [b]}, after: {a: [b]}}
            - {what: a7, before: {a: {b: c}}, patch: {a: {b: d, c: null}}, after: {a: {b: d}}}
            - {what: a8, before: {a: [{b: c}]}, patch: {a: [1]}, after: {a: [1]}}
            - {what: a9, before: [a, b], patch: [c, d], after: [c, d]}
            - {what: a10, before: {a: b}, patch: [c], after: [c]}
            - {what: a11, before: {a: foo}, patch: null, after: null}
            - {what: a12, before: {a: foo}, patch: bar, after: bar}
            - {what: a13, before: {e: null}, patch: {a: 1}, after: {e: null, a: 1}}
            - {what: a14, before: [1, 2], patch: {a: b, c: null}, after: {a: b}}
            - {what: a15, before: {}, patch: {a: {bb: {ccc: null}}}, after: {a: {bb: {}}}}
            - what: section 3
              before: {title: Goodbye!, author: {givenName: John, familyName: Doe}, tags: [example, sample], content: This will be unchanged}
              patch: {title: Hello!, phoneNumber: +01-123-456-7890, author: {familyName: null}, tags: [example]}
              after: {title: Hello!, author: {givenName: John}, tags: [example], content: This will be unchanged, phoneNumber: +01-123-456-7890}
            """, JsonMergePatch::apply);
    }

    @Test
    void refusesPatchesThatAreTooDeep() {
        JsonNode nothing = JsonNodeFactory.instance.objectNode();

        assertThat(JsonMergePatch.apply(nothing, nested(64))).isEqualTo(nested(64));
        assertThatThrownBy(() -> JsonMergePatch.apply(nothing, nested(65))).hasMessage("exceeded max depth");
    }

    private static JsonNode nested(int depth) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("leaf", 1);
        for (int i = 1; i < depth; i++) {
            node = JsonNodeFactory.instance.objectNode().set("a", node);
        }
        return node;
    }
}
