package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamespaceControllerTest {
    private static final String TERMINATING = """
        ---
        kind: Namespace
        metadata: {name: team, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0}
        spec: {finalizers: [kubernetes]}
        status: {phase: Terminating}
        """;
    private static final String ACTIVE = """
        ---
        {kind: Namespace, metadata: {name: team}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
        """;

    private static ControllerFixture settled(String yaml) {
        return new ControllerFixture(new NamespaceController(), yaml).settle();
    }

    @Test
    void namespace_active_isIgnored() {
        ControllerFixture run = settled(ACTIVE + "---\n{kind: ConfigMap, metadata: {name: c, namespace: team}}");
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.reconciles()).isZero();
    }

    @Test
    void namespace_terminatingAndEmpty_isDeletedInOneEvent() {
        ControllerFixture run = settled(TERMINATING);
        assertThat(run.takeEvents()).containsExactly("NamespaceDeleted namespaces/team");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void namespace_terminating_deletesPodsFirstAndEventsLast() {
        ControllerFixture run = settled("""
            {kind: Event, metadata: {name: e, namespace: team}}
            ---
            {kind: ServiceAccount, metadata: {name: default, namespace: team}}
            ---
            {kind: ConfigMap, metadata: {name: c, namespace: team}}
            ---
            {kind: Secret, metadata: {name: s, namespace: team}}
            ---
            {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, namespace: team}}
            ---
            {kind: PersistentVolumeClaim, metadata: {name: data, namespace: team}}
            ---
            {kind: Pod, metadata: {name: p, namespace: team}}
            ---
            {kind: ConfigMap, metadata: {name: other, namespace: teams}}
            ---
            {kind: PersistentVolume, metadata: {name: pv}}
            """ + TERMINATING);
        assertThat(run.takeEvents())
                .containsExactly(
                        "PodDeleted pods/team/p",
                        "PersistentVolumeClaimDeleted persistentvolumeclaims/team/data",
                        "LeaseDeleted leases.coordination.k8s.io/team/l",
                        "SecretDeleted secrets/team/s",
                        "ConfigMapDeleted configmaps/team/c",
                        "ServiceAccountDeleted serviceaccounts/team/default",
                        "EventDeleted events/team/e",
                        "NamespaceDeleted namespaces/team");
        assertThat(run.keys()).containsExactlyInAnyOrder("configmaps/teams/other", "persistentvolumes/pv");
    }

    @Test
    void namespace_terminatingWithScheduledPods_waitsForTheirGracePeriod() {
        ControllerFixture run = settled("""
            {kind: Pod, metadata: {name: runs, namespace: team}, spec: {nodeName: n, terminationGracePeriodSeconds: 7}, status: {phase: Running}}
            ---
            {kind: Pod, metadata: {name: plain, namespace: team}, spec: {nodeName: n}, status: {phase: Running}}
            ---
            {kind: Pod, metadata: {name: done, namespace: team}, spec: {nodeName: n}, status: {phase: Succeeded}}
            ---
            {kind: Pod, metadata: {name: nowhere, namespace: team}, spec: {}, status: {phase: Pending}}
            ---
            {kind: Secret, metadata: {name: s, namespace: team}}
            """ + TERMINATING);
        assertThat(run.takeEvents())
                .containsExactly(
                        "PodDeleted pods/team/done",
                        "PodDeleted pods/team/nowhere",
                        "PodDeletionRequested pods/team/plain",
                        "PodDeletionRequested pods/team/runs",
                        "NamespaceStatusUpdated namespaces/team");
        JsonNode runs = WorldFixture.tree(run.world(), "pods/team/runs").path("metadata");
        assertThat(runs.path("deletionGracePeriodSeconds").asLong()).isEqualTo(7);
        assertThat(runs.path("deletionTimestamp").asText()).isEqualTo("2026-01-01T00:00:07Z");
        assertThat(WorldFixture.tree(run.world(), "pods/team/plain")
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asLong())
                .isEqualTo(30);
        assertThat(message(run, "NamespaceContentRemaining"))
                .isEqualTo("Some resources are remaining: pods. has 2 resource instances");
        run.remove("pods/team/runs").settle();
        assertThat(run.takeEvents()).as("events while the other Pod is running").isEmpty();
        run.remove("pods/team/plain").settle();
        assertThat(run.takeEvents())
                .containsExactly("SecretDeleted secrets/team/s", "NamespaceDeleted namespaces/team");
    }

    @Test
    void namespace_objectsWithFinalizers_reportsThemInConditionsOnce() {
        ControllerFixture run = settled(claim("a", "kubernetes.io/pvc-protection")
                + claim("b", "kubernetes.io/pvc-protection, example.com/mine")
                + "---\n{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, namespace: team,"
                + " finalizers: [example.com/mine]}}\n"
                + TERMINATING);
        assertThat(run.takeEvents())
                .containsExactly(
                        "PersistentVolumeClaimDeletionRequested persistentvolumeclaims/team/a",
                        "PersistentVolumeClaimDeletionRequested persistentvolumeclaims/team/b",
                        "LeaseDeletionRequested leases.coordination.k8s.io/team/l",
                        "NamespaceStatusUpdated namespaces/team");
        assertThat(message(run, "NamespaceContentRemaining"))
                .isEqualTo("Some resources are remaining: leases.coordination.k8s.io has 1 resource instances,"
                        + " persistentvolumeclaims. has 2 resource instances");
        assertThat(message(run, "NamespaceFinalizersRemaining"))
                .isEqualTo("Some content in the namespace has finalizers remaining: example.com/mine in 2 resource"
                        + " instances, kubernetes.io/pvc-protection in 2 resource instances");
        assertThat(condition(run, "NamespaceContentRemaining").path("reason").asText())
                .isEqualTo("SomeResourcesRemain");
        assertThat(condition(run, "NamespaceDeletionContentFailure")
                        .path("status")
                        .asText())
                .isEqualTo("False");
        Decision repeated =
                new NamespaceController().reconcile(run.world(), ObjectKey.parse("namespaces/team"), run.now());
        assertThat(repeated).isEqualTo(Decision.none());

        run.remove("persistentvolumeclaims/team/a").advance(NamespaceController.STATUS_INTERVAL);
        assertThat(run.takeEvents()).containsExactly("NamespaceStatusUpdated namespaces/team");
        assertThat(message(run, "NamespaceFinalizersRemaining")).contains("pvc-protection in 1 resource instances");
        assertThat(condition(run, "NamespaceContentRemaining")
                        .path("lastTransitionTime")
                        .asText())
                .as("transition time of the unchanged status")
                .isEqualTo("2026-01-01T00:00:00Z");
        run.remove("persistentvolumeclaims/team/b")
                .remove("leases.coordination.k8s.io/team/l")
                .settle();
        assertThat(run.takeEvents()).containsExactly("NamespaceDeleted namespaces/team");
    }

    @Test
    void object_terminatingWithoutFinalizers_isDeleted() {
        ControllerFixture run = settled(claim("a", "kubernetes.io/pvc-protection") + TERMINATING);
        ObjectNode claim = WorldFixture.tree(run.world(), "persistentvolumeclaims/team/a");
        claim.withObject("/metadata").remove("finalizers");
        run.takeEvents();
        run.put(claim.toString()).advance(NamespaceController.STATUS_INTERVAL);
        assertThat(run.takeEvents())
                .containsExactly(
                        "PersistentVolumeClaimDeleted persistentvolumeclaims/team/a",
                        "NamespaceDeleted namespaces/team");
    }

    @Test
    void namespace_withForeignFinalizer_isFinalizedButNotDeleted() {
        ControllerFixture run =
                settled(TERMINATING.replace("{name: team,", "{name: team, finalizers: [example.com/mine],"));
        assertThat(run.takeEvents()).containsExactly("NamespaceFinalized namespaces/team");
        ObjectNode namespace = WorldFixture.tree(run.world(), "namespaces/team");
        assertThat(namespace.path("spec").has("finalizers")).isFalse();
        run.put(namespace.put("note", "touched").toString()).settle();
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void namespace_manyObjects_areDeletedInBoundedPasses() {
        ControllerFixture run = new ControllerFixture(new NamespaceController(), objects(1_500) + TERMINATING);
        Decision first = new NamespaceController()
                .reconcile(run.world(), ObjectKey.parse("namespaces/team"), Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(first.proposals()).hasSize(NamespaceController.MAX_PER_PASS);
        assertThat(first.requeueAfter()).contains(Duration.ZERO);
        run.settle();
        assertThat(run.keys()).isEmpty();
        assertThat(run.reconciles()).isLessThan(20);
    }

    @Test
    void namespace_objectsRemovedOneByOne_isReconciledSeldom() {
        StringBuilder yaml = new StringBuilder(TERMINATING);
        for (int i = 0; i < 300; i++) {
            yaml.append(claim("c" + i, "example.com/mine"));
        }
        ControllerFixture run = settled(yaml.toString());
        int before = run.reconciles();
        for (int i = 0; i < 300; i++) {
            run.remove("persistentvolumeclaims/team/c" + i).settle();
        }
        assertThat(run.keys()).isEmpty();
        assertThat(run.reconciles() - before).isLessThan(5);
    }

    @Test
    void object_createdInTerminatingNamespace_isDeleted() {
        ControllerFixture run = settled(claim("a", "example.com/mine") + TERMINATING);
        run.takeEvents();
        run.put("{kind: ConfigMap, metadata: {name: late, namespace: team}}").settle();
        assertThat(run.takeEvents()).contains("ConfigMapDeleted configmaps/team/late");
    }

    @Test
    void namespace_recreated_keepsItsObjects() {
        ControllerFixture run = settled(objects(3) + TERMINATING);
        run.takeEvents();
        run.put(ACTIVE + objects(3)).settle();
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.keys()).hasSize(4);
    }

    private static String objects(int count) {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < count; i++) {
            yaml.append("---\n{kind: ")
                    .append(List.of("ConfigMap", "Secret", "Pod").get(i % 3));
            yaml.append(", metadata: {name: o").append(i).append(", namespace: team}}\n");
        }
        return yaml.toString();
    }

    private static String claim(String name, String finalizers) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {name: " + name + ", namespace: team, finalizers: ["
                + finalizers + "]}}\n";
    }

    private static JsonNode condition(ControllerFixture run, String type) {
        for (JsonNode each :
                WorldFixture.tree(run.world(), "namespaces/team").path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        throw new AssertionError("No condition of type " + type);
    }

    private static String message(ControllerFixture run, String condition) {
        JsonNode found = condition(run, condition);
        assertThat(found.path("status").asText()).isEqualTo("True");
        return found.path("message").asText();
    }
}
