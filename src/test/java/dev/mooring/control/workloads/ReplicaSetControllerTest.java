package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ReplicaSetControllerTest {
    private static final String KEY = "replicasets.apps/ns/web";

    private static String set(int replicas, String more) {
        return "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: ns, generation: 3}, spec: {"
                + "replicas: " + replicas + ", selector: {matchLabels: {app: web}}, " + more
                + WorkloadFixture.template("app: web", "nginx") + "}}\n";
    }

    private static WorkloadFixture settled(String yaml) {
        return new WorkloadFixture(new ReplicaSetController(WorkloadFixture.ADMISSION), yaml);
    }

    private static String pod(String name, String more) {
        return "---\n{kind: Pod, metadata: {name: " + name + ", namespace: ns, labels: {app: web}" + more
                + "}, spec: {containers: [{name: c, image: nginx}]}}\n";
    }

    @Test
    void newReplicaSet_createsItsPodsWithControllerRefAndStatus() {
        WorkloadFixture run = settled(set(3, ""));
        assertThat(run.pods()).hasSize(3).allSatisfy(pod -> {
            assertThat(pod.name()).matches("web-[a-z0-9]{5}");
            assertThat(pod.metadata().path("generateName").asText()).isEqualTo("web-");
            assertThat(pod.controllerUid()).isEqualTo("uid-web");
            assertThat(pod.phase()).isEqualTo("Pending");
            assertThat(pod.spec().path("restartPolicy").asText()).isEqualTo("Always");
        });
        assertThat(run.status(KEY)).hasToString("{\"replicas\":3,\"fullyLabeledReplicas\":3,\"observedGeneration\":3}");
        assertThat(run.events())
                .hasSize(3)
                .allSatisfy(each -> assertThat(each).startsWith("SuccessfulCreate: Created pod: web-"));
        run.assertSettled();
    }

    @Test
    void readyPods_areAvailableAfterMinReadySeconds() {
        WorkloadFixture run = settled(set(1, "minReadySeconds: 10, ")).allReady();
        assertThat(run.status(KEY).path("readyReplicas").asInt()).isEqualTo(1);
        assertThat(run.status(KEY).has("availableReplicas")).isFalse();
        run.run.advance(Duration.ofSeconds(10));
        assertThat(run.status(KEY).path("availableReplicas").asInt()).isEqualTo(1);
    }

    @Test
    void fewerReplicas_deletesTheUnreadyPodFirst() {
        WorkloadFixture run = settled(set(3, "")).allReady();
        String unready = run.pods().get(1).name();
        run.ready(unready, false).set(KEY, "/spec/replicas", 2);
        assertThat(run.activePods()).extracting(Pod::name).hasSize(2).doesNotContain(unready);
        assertThat(run.events()).contains("SuccessfulDelete: Deleted pod: " + unready);
        assertThat(run.status(KEY).path("replicas").asInt()).isEqualTo(2);
    }

    @Test
    void terminatingAndFailedPods_areReplaced() {
        WorkloadFixture run = settled(set(2, ""));
        ObjectNode failed = run.tree("pods/ns/" + run.pods().get(0).name());
        failed.withObject("/status").put("phase", "Failed");
        run.put(failed);
        assertThat(run.activePods()).hasSize(2);
        assertThat(run.pods()).hasSize(3);
    }

    @Test
    void matchingPods_withoutController_areAdoptedAndOthersNot() {
        WorkloadFixture run = settled(set(2, "")
                + pod("mine", "")
                + pod(
                        "other",
                        ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: x, uid: y,"
                                + " controller: true}]"));
        assertThat(run.pods()).hasSize(3);
        assertThat(Pod.of(run.run.world().get(ObjectKey.parse("pods/ns/mine")).orElseThrow())
                        .controllerUid())
                .isEqualTo("uid-web");
        assertThat(Pod.of(run.run.world().get(ObjectKey.parse("pods/ns/other")).orElseThrow())
                        .controllerUid())
                .isEqualTo("y");
    }

    @Test
    void pod_whoseLabelsNoLongerMatch_isReleasedAndReplaced() {
        WorkloadFixture run = settled(set(1, ""));
        ObjectNode pod = run.tree("pods/ns/" + run.pods().get(0).name());
        pod.withObject("/metadata/labels").put("app", "debug");
        run.put(pod);
        assertThat(run.pods()).hasSize(2);
        assertThat(run.tree("pods/ns/" + pod.path("metadata").path("name").asText())
                        .path("metadata")
                        .has("ownerReferences"))
                .isFalse();
    }

    @Test
    void forbiddenPod_setsReplicaFailureAndEventAndRetries() {
        WorkloadFixture run = new WorkloadFixture(
                new ReplicaSetController((world, pod) -> WorkloadFixture.ADMISSION.admit(world, pod)),
                "{kind: Namespace, metadata: {name: ns, labels: {pod-security.kubernetes.io/enforce: restricted}}}\n"
                        + "---\n"
                        + set(1, ""));
        assertThat(run.pods()).isEmpty();
        assertThat(run.status(KEY).path("conditions").path(0).path("type").asText())
                .isEqualTo("ReplicaFailure");
        assertThat(run.events())
                .singleElement()
                .asString()
                .contains("FailedCreate: Error creating: pods ")
                .contains("violates PodSecurity \"restricted:");
        run.run.put("{kind: Namespace, metadata: {name: ns}}").advance(Duration.ofSeconds(15));
        assertThat(run.pods()).hasSize(1);
        assertThat(run.status(KEY).has("conditions")).isFalse();
    }

    @Test
    void terminatingReplicaSet_createsNothing() {
        WorkloadFixture run = settled(set(2, "").replace("generation: 3", "deletionTimestamp: '2026-01-01T00:00:00Z'"));
        assertThat(run.pods()).isEmpty();
    }

    @Test
    void twoDecisionsOnOneWorld_onlyOneCanBeCommitted() {
        World world = WorldFixture.of("{kind: Namespace, metadata: {name: ns}}\n---\n" + set(2, ""));
        ReplicaSetController controller = new ReplicaSetController(WorkloadFixture.ADMISSION);
        ObjectKey key = ObjectKey.parse(KEY);
        Decision one = controller.reconcile(world, key, Instant.EPOCH);
        Decision other = controller.reconcile(world, key, Instant.EPOCH.plusSeconds(1));
        Proposal first = one.proposals().get(0);
        Proposal second = other.proposals().get(0);
        assertThat(first.writes().get(0).key())
                .isNotEqualTo(second.writes().get(0).key());
        World after = WorldFixture.after(world, first);
        assertThat(after.list(Scope.resource("pods"))).hasSize(1);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> WorldFixture.after(after, second))
                .hasMessageContaining(KEY);
    }
}
