package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectionTest {
    private static final List<SelectableField> SELECTABLE = List.of(
            SelectableField.of("status.phase"),
            SelectableField.of("spec.nodeName"),
            SelectableField.of("spec.unschedulable", "false"),
            SelectableField.of("spec.priority"),
            new SelectableField(
                    "source", List.of(FieldPath.of("source.component"), FieldPath.of("reportingComponent")), ""));

    private static final StoredObject POD = stored("pods/team/app", """
        {"kind":"Pod","metadata":{"name":"app","labels":{"tier":"gold","a.b/c":"d"},"namespace":"team"},
         "spec":{"containers":[{"phase":"x","nodeName":"y"}],"nodeName":"n1","priority":7,"unschedulable":true},
         "source":{"component":""},"reportingComponent":"kubelet","status":{"phase":"Running"}}
        """);

    private static final StoredObject NODE = stored("nodes/n1", "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}");

    private static StoredObject stored(String key, String json) {
        return new StoredObject(ObjectKey.parse(key), 1, json.getBytes(StandardCharsets.UTF_8));
    }

    private static Selection selection(String labels, String fields) {
        return Selection.of(LabelSelector.parse(labels), FieldSelector.parse(fields), SELECTABLE);
    }

    @ParameterizedTest(name = "{0} {1}: pod {2}, node {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``            | ``                                       | true  | true
        tier=gold     | ``                                       | true  | false
        !tier         | ``                                       | false | true
        a.b/c         | ``                                       | true  | false
        tier!=gold    | ``                                       | false | true
        ``            | metadata.name=app                        | true  | false
        ``            | metadata.name!=app                       | false | true
        ``            | metadata.namespace=team                  | true  | false
        ``            | metadata.namespace=                      | false | true
        ``            | metadata.name=app,metadata.name=n1       | false | false
        ``            | status.phase=Running                     | true  | false
        ``            | status.phase!=Running                    | false | true
        ``            | status.phase=                            | false | true
        ``            | spec.nodeName=n1                         | true  | false
        ``            | spec.unschedulable=true                  | true  | false
        ``            | spec.unschedulable=false                 | false | true
        ``            | spec.priority=7                          | true  | false
        ``            | source=kubelet                           | true  | false
        tier=gold     | status.phase=Running,spec.nodeName=n1    | true  | false
        tier=gold     | status.phase=Running,spec.nodeName=n2    | false | false
        tier=silver   | status.phase=Running,spec.nodeName=n1    | false | false
        tier=gold     | metadata.name=other                      | false | false
        tier,tier!=x  | status.phase!=a,status.phase!=b          | true  | false
        """)
    void selection_labelsAndFields_mustAllMatch(String labels, String fields, boolean pod, boolean node) {
        Selection selection = selection(labels, fields);

        assertThat(selection.matches(POD)).isEqualTo(pod);
        assertThat(selection.matches(NODE)).isEqualTo(node);
    }

    @Test
    void selection_nameAndNamespaceOnly_doesNotReadTheObject() {
        StoredObject unreadable = stored("pods/team/app", "not JSON");

        assertThat(selection("", "metadata.name=app,metadata.namespace=team").matches(unreadable))
                .isTrue();
        assertThat(selection("tier=gold", "metadata.name=other").matches(unreadable))
                .isFalse();
        assertThat(Selection.everything().matches(unreadable)).isTrue();
        assertThatThrownBy(() -> selection("tier", "").matches(unreadable))
                .hasMessage("Stored object is not valid JSON");
    }

    @Test
    void selection_unknownField_isNamed() {
        assertThatThrownBy(() -> selection("", "spec.nonsense=1,status.phase=a"))
                .isInstanceOfSatisfying(
                        UnknownFieldException.class, e -> assertThat(e.field()).isEqualTo("spec.nonsense"))
                .hasMessage("field label not supported: spec.nonsense");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``                                       | ``
        metadata.name=app                        | app
        metadata.name==app,status.phase=Running  | app
        metadata.name!=app                       | ``
        metadata.namespace=app                   | ``
        metadata.name!=app,metadata.name=app     | app
        metadata.name=                           | ``
        metadata.name=a/b                        | ``
        metadata.name=a b                        | ``
        """)
    void selection_requiredName_isExactName(String fields, String name) {
        assertThat(selection("", fields).exactName().orElse("")).isEqualTo(name);
    }

    @Test
    void selection_requiredNameTooLong_hasNoExactName() {
        assertThat(selection("", "metadata.name=" + "x".repeat(253)).exactName())
                .isPresent();
        assertThat(selection("", "metadata.name=" + "x".repeat(254)).exactName())
                .isEmpty();
    }

    @Test
    void selection_withoutRequirements_isEverything() {
        assertThat(Selection.everything().isEverything()).isTrue();
        assertThat(selection("", "").isEverything()).isTrue();
        assertThat(selection("a", "").isEverything()).isFalse();
        assertThat(selection("", "metadata.name=a").isEverything()).isFalse();
    }
}
