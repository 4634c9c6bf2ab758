package dev.mooring.control.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamespaceCleanerTest {
    private static final String ENDS = """
        ---
        kind: Namespace
        metadata: {name: team, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0}
        spec: {finalizers: [kubernetes]}
        status: {phase: Terminating}
        """;
    private static final String LIVES = """
        ---
        {kind: Namespace, metadata: {name: team}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
        """;

    private static OneController settled(String yaml) {
        return new OneController(new NamespaceCleaner(), yaml).settle();
    }

    @Test
    void leavesANamespaceAloneThatLives() {
        OneController run = settled(LIVES + "---\n{kind: ConfigMap, metadata: {name: c, namespace: team}}");
        assertThat(run.did()).isEmpty();
        assertThat(run.looks()).isZero();
    }

    @Test
    void removesAnEmptyNamespaceWithOneEvent() {
        OneController run = settled(ENDS);
        assertThat(run.did()).containsExactly("NamespaceDeleted namespaces/team");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void removesPodsFirstAndWhatDescribesThemLast() {
        OneController run = settled("""
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
            """ + ENDS);
        assertThat(run.did())
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
    void givesPodsOnANodeTheirTimeAndWaitsForThem() {
        OneController run = settled("""
            {kind: Pod, metadata: {name: runs, namespace: team}, spec: {nodeName: n, terminationGracePeriodSeconds: 7}, status: {phase: Running}}
            ---
            {kind: Pod, metadata: {name: plain, namespace: team}, spec: {nodeName: n}, status: {phase: Running}}
            ---
            {kind: Pod, metadata: {name: done, namespace: team}, spec: {nodeName: n}, status: {phase: Succeeded}}
            ---
            {kind: Pod, metadata: {name: nowhere, namespace: team}, spec: {}, status: {phase: Pending}}
            ---
            {kind: Secret, metadata: {name: s, namespace: team}}
            """ + ENDS);
        assertThat(run.did())
                .containsExactly(
                        "PodDeleted pods/team/done",
                        "PodDeleted pods/team/nowhere",
                        "PodDeletionRequested pods/team/plain",
                        "PodDeletionRequested pods/team/runs",
                        "NamespaceStatusUpdated namespaces/team");
        JsonNode runs = Worlds.tree(run.world(), "pods/team/runs").path("metadata");
        assertThat(runs.path("deletionGracePeriodSeconds").asLong()).isEqualTo(7);
        assertThat(runs.path("deletionTimestamp").asText()).isEqualTo("2026-01-01T00:00:07Z");
        assertThat(Worlds.tree(run.world(), "pods/team/plain")
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asLong())
                .isEqualTo(30);
        assertThat(message(run, "NamespaceContentRemaining"))
                .isEqualTo("Some resources are remaining: pods. has 2 resource instances");
        run.remove("pods/team/runs").settle();
        assertThat(run.did()).as("the other one still runs").isEmpty();
        run.remove("pods/team/plain").settle();
        assertThat(run.did()).containsExactly("SecretDeleted secrets/team/s", "NamespaceDeleted namespaces/team");
    }

    @Test
    void saysWhatItWaitsForAndSaysItOnce() {
        OneController run = settled(claim("a", "kubernetes.io/pvc-protection")
                + claim("b", "kubernetes.io/pvc-protection, example.com/mine")
                + "---\n{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, namespace: team,"
                + " finalizers: [example.com/mine]}}\n"
                + ENDS);
        assertThat(run.did())
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
        Decision again = new NamespaceCleaner().reconcile(run.world(), ObjectKey.parse("namespaces/team"), run.now());
        assertThat(again).isEqualTo(Decision.nothing());

        run.remove("persistentvolumeclaims/team/a").pass(NamespaceCleaner.PACE);
        assertThat(run.did()).containsExactly("NamespaceStatusUpdated namespaces/team");
        assertThat(message(run, "NamespaceFinalizersRemaining")).contains("pvc-protection in 1 resource instances");
        assertThat(condition(run, "NamespaceContentRemaining")
                        .path("lastTransitionTime")
                        .asText())
                .as("still true since then")
                .isEqualTo("2026-01-01T00:00:00Z");
        run.remove("persistentvolumeclaims/team/b")
                .remove("leases.coordination.k8s.io/team/l")
                .settle();
        assertThat(run.did()).containsExactly("NamespaceDeleted namespaces/team");
    }

    @Test
    void removesAMarkedObjectThatNothingHoldsAnyMore() {
        OneController run = settled(claim("a", "kubernetes.io/pvc-protection") + ENDS);
        ObjectNode claim = Worlds.tree(run.world(), "persistentvolumeclaims/team/a");
        claim.withObject("/metadata").remove("finalizers");
        run.did();
        run.put(claim.toString()).pass(NamespaceCleaner.PACE);
        assertThat(run.did())
                .containsExactly(
                        "PersistentVolumeClaimDeleted persistentvolumeclaims/team/a",
                        "NamespaceDeleted namespaces/team");
    }

    @Test
    void leavesTheNamespaceToOthersWhoHoldIt() {
        OneController run = settled(ENDS.replace("{name: team,", "{name: team, finalizers: [example.com/mine],"));
        assertThat(run.did()).containsExactly("NamespaceFinalized namespaces/team");
        ObjectNode namespace = Worlds.tree(run.world(), "namespaces/team");
        assertThat(namespace.path("spec").has("finalizers")).isFalse();
        run.put(namespace.put("note", "touched").toString()).settle();
        assertThat(run.did()).isEmpty();
    }

    @Test
    void removesManyObjectsInBoundedSteps() {
        OneController run = new OneController(new NamespaceCleaner(), many(1_500) + ENDS);
        Decision first = new NamespaceCleaner()
                .reconcile(run.world(), ObjectKey.parse("namespaces/team"), Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(first.proposals()).hasSize(NamespaceCleaner.MAX_PER_PASS);
        assertThat(first.lookAgain()).contains(Duration.ZERO);
        run.settle();
        assertThat(run.keys()).isEmpty();
        assertThat(run.looks()).isLessThan(20);
    }

    @Test
    void looksSeldomWhileManyThingsGoOneByOne() {
        StringBuilder yaml = new StringBuilder(ENDS);
        for (int i = 0; i < 300; i++) {
            yaml.append(claim("c" + i, "example.com/mine"));
        }
        OneController run = settled(yaml.toString());
        int before = run.looks();
        for (int i = 0; i < 300; i++) {
            run.remove("persistentvolumeclaims/team/c" + i).settle();
        }
        assertThat(run.keys()).isEmpty();
        assertThat(run.looks() - before).isLessThan(5);
    }

    @Test
    void removesWhatComesInLate() {
        OneController run = settled(claim("a", "example.com/mine") + ENDS);
        run.did();
        run.put("{kind: ConfigMap, metadata: {name: late, namespace: team}}").settle();
        assertThat(run.did()).contains("ConfigMapDeleted configmaps/team/late");
    }

    @Test
    void leavesTheNextNamespaceOfTheSameNameAlone() {
        OneController run = settled(many(3) + ENDS);
        run.did();
        run.put(LIVES + many(3)).settle();
        assertThat(run.did()).isEmpty();
        assertThat(run.keys()).hasSize(4);
    }

    private static String many(int count) {
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

    private static JsonNode condition(OneController run, String type) {
        for (JsonNode each :
                Worlds.tree(run.world(), "namespaces/team").path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        throw new AssertionError("no condition " + type);
    }

    private static String message(OneController run, String condition) {
        JsonNode found = condition(run, condition);
        assertThat(found.path("status").asText()).isEqualTo("True");
        return found.path("message").asText();
    }
}
