package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Field differences, summaries and what counts as a detail of the status. */
class ObjectDiffTest {

    @Test
    void claim_bound_listsFieldsAndSummarizesPhaseFirst() {
        ObjectDiff diff = diff(
                "{kind: PersistentVolumeClaim, metadata: {resourceVersion: '5', managedFields: [{manager: a}],"
                        + " finalizers: []}, spec: {}, status: {phase: Pending}}",
                "{kind: PersistentVolumeClaim, metadata: {resourceVersion: '6', managedFields: [{manager: b}],"
                        + " finalizers: ['kubernetes.io/pvc-protection']}, spec: {volumeName: pv1},"
                        + " status: {phase: Bound, volumeName: pv1, capacity: {storage: 1Gi}}}");

        assertThat(text(diff))
                .containsExactly(
                        "metadata.finalizers[] - kubernetes.io/pvc-protection",
                        "spec.volumeName - pv1",
                        "status.phase Pending Bound",
                        "status.volumeName - pv1",
                        "status.capacity.storage - 1Gi");
        assertThat(diff.summary())
                .isEqualTo("phase Pending → Bound, volumeName +pv1, capacity.storage +1Gi, finalizers +pvc-protection");
        assertThat(diff.isStatusOnly()).isFalse();
    }

    @Test
    void conditions_reordered_areComparedByType() {
        ObjectDiff diff = diff(
                "{status: {conditions: [{type: Ready, status: 'False', reason: A}, {type: Initialized, status:"
                        + " 'True'}]}}",
                "{status: {conditions: [{type: Initialized, status: 'True'}, {type: Ready, status: 'True', reason:"
                        + " B}]}}");

        assertThat(text(diff))
                .containsExactly("status.conditions[Ready].status False True", "status.conditions[Ready].reason A B");
        assertThat(diff.summary()).isEqualTo("Ready False → True");
        assertThat(diff.isStatusOnly()).isTrue();
        assertThat(diff.isStatusDetail()).isFalse();
    }

    @Test
    void containers_becomeReady_areCounted() {
        ObjectDiff diff = diff(
                "{status: {phase: Pending, containerStatuses: [{name: web, ready: false, state: {waiting: {reason:"
                        + " X}}}]}}",
                "{status: {phase: Running, containerStatuses: [{name: web, ready: true, state: {running: {}}}]}}");

        assertThat(diff.summary())
                .isEqualTo("phase Pending → Running, ready 0/1 → 1/1, containerStatuses[web].state.waiting.reason -X");
    }

    @Test
    void heartbeat_isStatusDetail() {
        ObjectDiff diff = diff(
                "{status: {conditions: [{type: Ready, status: 'True', lastHeartbeatTime: a}], images: [{names: [x]}]}}",
                "{status: {conditions: [{type: Ready, status: 'True', lastHeartbeatTime: b}], images: [{names:"
                        + " [y]}]}}");

        assertThat(diff.isStatusDetail()).isTrue();
        assertThat(diff.summary()).isEqualTo("images [1] → [1]");
    }

    @Test
    void mapKeys_withDotsAndSlashes_areInBrackets() {
        ObjectDiff diff =
                diff("{metadata: {labels: {app: a}}}", "{metadata: {labels: {app: b, 'mooring.dev/part': ''}}}");

        assertThat(text(diff)).containsExactly("metadata.labels.app a b", "metadata.labels[mooring.dev/part] - ");
        assertThat(diff.summary()).isEqualTo("labels.app a → b, labels[mooring.dev/part] +\"\"");
    }

    @Test
    void lists_withoutKeys_areOneValue_andReorderedSetsToo() {
        assertThat(text(diff("{spec: {terms: [{a: 1}, {b: 1}]}}", "{spec: {terms: [{a: 1}]}}")))
                .containsExactly("spec.terms [{\"a\":1},{\"b\":1}] [{\"a\":1}]");
        assertThat(text(diff("{spec: {args: [a, b]}}", "{spec: {args: [b, a]}}")))
                .containsExactly("spec.args [\"a\",\"b\"] [\"b\",\"a\"]");
        assertThat(text(diff("{spec: {args: [a, b]}}", "{spec: {args: [b, c]}}")))
                .containsExactly("spec.args[] a -", "spec.args[] - c");
    }

    @Test
    void keyedElements_reordered_areEqual() {
        assertThat(diff(
                                "{spec: {volumes: [{name: a, x: 1}, {name: b}]}}",
                                "{spec: {volumes: [{name: b}, {name: a, x: 1}]}}")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void elements_withOnlyTheirKey_areListed() {
        assertThat(text(diff("{spec: {imagePullSecrets: []}}", "{spec: {imagePullSecrets: [{name: a}]}}")))
                .containsExactly("spec.imagePullSecrets[a] - {\"name\":\"a\"}");
    }

    @Test
    void emptyObjects_addedAndRemoved_areListed() {
        assertThat(text(diff("{spec: {}}", "{spec: {emptyDir: {}}}"))).containsExactly("spec.emptyDir - {}");
        assertThat(text(diff("{spec: {list: []}}", "{spec: {}}"))).containsExactly("spec.list [] -");
        assertThat(diff("{spec: {a: null}}", "{spec: {}}").isEmpty()).isTrue();
        assertThat(text(diff("{spec: {a: {b: 1}}}", "{spec: {a: [1]}}"))).containsExactly("spec.a {\"b\":1} [1]");
    }

    @Test
    void numbers_areComparedByValue() {
        assertThat(diff("{spec: {replicas: 1}}", "{spec: {replicas: 1.0}}").isEmpty())
                .isTrue();
    }

    @Test
    void mount_isNamedByItsPodAndVolumeInsteadOfItsPath() {
        String mount = "{path: /var/lib/mooring/pods/2c0e/volumes/nfs/share, pod: {name: web}, volumeName: data, ";
        String before = "{status: {mounts: [" + mount + "state: Mounting, attempts: 4}]}}";
        String after = "{status: {mounts: [" + mount + "state: Failed, attempts: 5, lastError: {reason: TimedOut}}]}}";

        assertThat(diff(before, after).summary())
                .isEqualTo("mounts[web/data].state Mounting → Failed, mounts[web/data].lastError.reason +TimedOut,"
                        + " mounts[web/data].attempts 4 → 5");
        assertThat(diff(before, "{status: {mounts: []}}").summary()).startsWith("mounts[web/data]");
    }

    @Test
    void newObject_summaryShowsItsTellingFields() {
        ObjectDiff diff = ObjectDiff.between(
                Optional.empty(),
                Optional.of(new StoredObject(
                        ObjectKey.parse("persistentvolumeclaims/a/b"),
                        1,
                        json("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b, uid: u},"
                                        + " spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}},"
                                        + " status: {phase: Pending}}")
                                .toString()
                                .getBytes(StandardCharsets.UTF_8))));

        assertThat(diff.summary()).isEqualTo("phase Pending, requests.storage 1Gi, storageClassName fast");
    }

    @Test
    void removedObject_hasNoSummary() {
        assertThat(diff("{spec: {a: 1}}", "{}").summary()).isEmpty();
    }

    @Test
    void summary_isBoundedAndCountsTheRest() {
        ObjectNode before = Json.MAPPER.createObjectNode();
        ObjectNode after = Json.MAPPER.createObjectNode();
        before.putObject("spec").put("first", "x");
        ObjectNode spec = after.putObject("spec");
        for (int i = 0; i < 50; i++) {
            spec.put("field" + i, "v".repeat(100));
        }

        String summary = ObjectDiff.between(before, after).summary();
        assertThat(summary).hasSizeLessThanOrEqualTo(DiffSummary.MAX_LENGTH).endsWith("48 more");
        assertThat(summary).contains("field0 +vvv").contains("…");
    }

    @Test
    void summary_hidesControlCharacters() {
        ObjectDiff diff = diff("{spec: {a: x}}", "{spec: {a: \"\\u001b[2Jy\\u202e\"}}");

        assertThat(diff.summary()).isEqualTo("a x →  [2Jy ");
    }

    @Test
    void secret_summaryHasNoValues() {
        ObjectDiff diff = diff(
                "{kind: Secret, data: {password: b2xk, user: eA}}",
                "{kind: Secret, data: {password: bmV3, token: dA}}");

        assertThat(diff.summary()).isEqualTo("data.password changed, data.user removed, data.token added");
        assertThat(diff("{}", "{kind: Secret, data: {password: b2xk}}").summary())
                .isEqualTo("data.password");
    }

    @Test
    void newKubernetesEvent_summaryIsItsMessage() {
        assertThat(diff(
                                "{}",
                                "{kind: Event, type: Warning, reason: FailedMount, message: no route,"
                                        + " involvedObject: {kind: Pod, name: web}}")
                        .summary())
                .isEqualTo("Warning FailedMount Pod/web: no route");
    }

    @Test
    void longPaths_areNotMatched() {
        ObjectNode after = Json.MAPPER.createObjectNode();
        after.putObject("spec").put("[".repeat(100_000) + "]".repeat(100_000), 1);

        assertThat(ObjectDiff.between(json("{spec: {}}"), after).summary()).hasSizeLessThan(DiffSummary.MAX_LENGTH);
    }

    @Test
    void fieldChange_toJson_leavesOutAbsentValues() {
        assertThat(diff("{spec: {a: 1}}", "{spec: {b: 2}}").fields().stream()
                        .map(field -> field.toJson().toString()))
                .containsExactly("{\"path\":\"spec.a\",\"from\":1}", "{\"path\":\"spec.b\",\"to\":2}");
    }

    private static ObjectDiff diff(String before, String after) {
        return ObjectDiff.between(json(before), json(after));
    }

    private static List<String> text(ObjectDiff diff) {
        return diff.fields().stream()
                .map(field -> field.path()
                        + ' '
                        + text(field.from())
                        + (field.to().isPresent() ? " " + text(field.to()) : " -"))
                .map(line -> line.replaceFirst(" - -$", " -"))
                .toList();
    }

    private static String text(Optional<JsonNode> value) {
        return value.map(node -> node.isValueNode() ? node.asText() : node.toString())
                .orElse("-");
    }

    private static JsonNode json(String yaml) {
        try {
            return new YAMLMapper().readTree(yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
