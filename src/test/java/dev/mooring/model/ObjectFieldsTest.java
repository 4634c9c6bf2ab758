package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObjectFieldsTest {
    private static final byte[] OBJECT = json("""
        {"metadata":{"labels":{"a.b":"c","n":1,"none":null,"odd":{"x":1}},"name":"é\\n"},
         "spec":{"deep":{"list":[{"er":"wrong"}],"er":true},"number":1.50,"nothing":null,"also":"yes"},"kind":"Pod"}
        """);

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> read(byte[] object, String... paths) {
        return ObjectFields.at(List.of(paths).stream().map(FieldPath::of).toList())
                .read(object);
    }

    @Test
    void objectFields_scalars_areReadAsText() {
        assertThat(read(OBJECT, "spec.deep.er", "metadata.name", "spec.number", "kind", "spec.also"))
                .containsExactly("true", "é\n", "1.50", "Pod", "yes");
    }

    @Test
    void objectFields_missingOrNotScalar_areEmpty() {
        assertThat(read(
                        OBJECT,
                        "spec.deep",
                        "spec.nothing",
                        "spec.deep.list",
                        "kind.of",
                        "missing",
                        "metadata.missing.x"))
                .containsOnly("");
    }

    @Test
    void objectFields_pathAndItsChild_areBothRead() {
        assertThat(read(OBJECT, "spec.deep", "spec.deep.er", "kind", "kind.of")).containsExactly("", "true", "Pod", "");
    }

    @Test
    void objectFields_labels_areRead() {
        assertThat(ObjectFields.labels(OBJECT)).isEqualTo(Map.of("a.b", "c", "n", "1"));
        assertThat(ObjectFields.labels(json("{\"metadata\":{\"name\":\"x\"}}"))).isEmpty();
        assertThat(ObjectFields.labels(json("{\"metadata\":{\"labels\":null}}")))
                .isEmpty();
        assertThat(ObjectFields.labels(json("{}"))).isEmpty();
        assertThat(ObjectFields.at(List.of(FieldPath.ofLabel("a.b"))).read(OBJECT))
                .containsExactly("c");
    }

    @Test
    void objectFields_allFound_stopsParsing() {
        assertThat(read(json("{\"a\":{\"b\":\"c\" broken"), "a.b")).containsExactly("c");
        assertThatThrownBy(() -> read(json("{\"a\":{\"b\":\"c\" broken"), "a.b", "a.c"))
                .hasMessage("Stored object is not valid JSON");
    }

    @Test
    void objectFields_jsonArray_isEmpty() {
        assertThat(read(json("[1]"), "a")).containsExactly("");
    }

    @Test
    void objectFields_duplicatePath_throws() {
        assertThatThrownBy(() -> read(OBJECT, "a.b", "a.b")).hasMessage("Field paths must be distinct, got [a.b, a.b]");
    }
}
