package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeploymentControllerTest {
    private static final String KEY = "deployments.apps/ns/web";
    private static final String IMAGE = "/spec/template/spec/containers/0/image";

    private static WorkloadFixture deployment(int replicas, String strategy) {
        return new WorkloadFixture(
                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ns, generation: 1}, spec: {"
                        + "replicas: " + replicas + ", selector: {matchLabels: {app: web}}, strategy: " + strategy
                        + ", progressDeadlineSeconds: 600, revisionHistoryLimit: 10, "
                        + WorkloadFixture.template("app: web", "nginx:1") + "}}\n");
    }

    private static String rolling(String unavailable, String surge) {
        return "{type: RollingUpdate, rollingUpdate: {maxUnavailable: " + unavailable + ", maxSurge: " + surge + "}}";
    }

    private static WorkloadFixture image(WorkloadFixture run, String image) {
        ObjectNode tree = run.tree(KEY);
        ((ObjectNode) tree.at("/spec/template/spec/containers/0")).put("image", image);
        ObjectNode metadata = (ObjectNode) tree.get("metadata");
        metadata.put("generation", metadata.path("generation").asInt() + 1);
        return run.put(tree);
    }

    private static List<Workload> sets(WorkloadFixture run) {
        return run.run.world().stream(Scope.resource("replicasets.apps"))
                .map(Workload::of)
                .sorted(Comparator.comparing(
                        each -> each.annotation(DeploymentSync.REVISION).orElse("")))
                .toList();
    }

    private static JsonNode condition(WorkloadFixture run, String type) {
        return Conditions.find(run.tree(KEY), type).orElseThrow();
    }

    private static String image(Workload set) {
        return set.tree().at(IMAGE).asText();
    }

    @Test
    void newDeployment_createsReplicaSetAndReportsKubernetesStatus() {
        WorkloadFixture run = deployment(3, rolling("25%", "25%"));
        Workload set = sets(run).get(0);
        String hash = set.labels().path("pod-template-hash").asText();
        assertThat(set.name()).isEqualTo("web-" + hash);
        assertThat(set.selector().orElseThrow()).hasToString("app=web,pod-template-hash=" + hash);
        assertThat(set.annotation(DeploymentSync.REVISION)).contains("1");
        assertThat(set.annotation("deployment.kubernetes.io/desired-replicas")).contains("3");
        assertThat(set.annotation("deployment.kubernetes.io/max-replicas")).contains("4");
        assertThat(run.pods())
                .hasSize(3)
                .allSatisfy(
                        pod -> assertThat(pod.labels().path("pod-template-hash").asText())
                                .isEqualTo(hash));
        assertThat(condition(run, "Available").path("reason").asText()).isEqualTo("MinimumReplicasUnavailable");
        assertThat(run.events()).contains("ScalingReplicaSet: Scaled up replica set web-" + hash + " from 0 to 3");

        run.converge();
        JsonNode status = run.status(KEY);
        assertThat(status.path("updatedReplicas").asInt()).isEqualTo(3);
        assertThat(status.path("availableReplicas").asInt()).isEqualTo(3);
        assertThat(status.has("unavailableReplicas")).isFalse();
        assertThat(condition(run, "Available").path("message").asText())
                .isEqualTo("Deployment has minimum availability.");
        assertThat(condition(run, "Progressing").path("reason").asText()).isEqualTo("NewReplicaSetAvailable");
        assertThat(condition(run, "Progressing").path("message").asText())
                .isEqualTo("ReplicaSet \"web-" + hash + "\" has successfully progressed.");
        run.assertSettled();
    }

    @Test
    void rollingUpdate_staysWithinItsLimitsAtEveryEvent() {
        WorkloadFixture run = deployment(4, rolling("1", "2")).converge();
        run.run.observe((before, event) -> {
            assertThat(run.activePods().size()).as("Pods").isLessThanOrEqualTo(6);
            long available = run.activePods().stream().filter(Pod::isReady).count();
            assertThat(available).as("available Pods").isGreaterThanOrEqualTo(3);
        });
        image(run, "nginx:2").converge();
        assertThat(run.pods()).hasSize(4);
        assertThat(sets(run)).extracting(DeploymentControllerTest::image).containsExactly("nginx:1", "nginx:2");
        assertThat(sets(run)).extracting(Workload::replicas).containsExactly(0, 4);
        assertThat(run.tree(KEY)
                        .at("/metadata/annotations/deployment.kubernetes.io~1revision")
                        .asText())
                .isEqualTo("2");
    }

    @Test
    void rollingUpdate_whoseNewPodsNeverBecomeReady_keepsTheOldOnes() {
        WorkloadFixture run = deployment(4, rolling("1", "1")).converge();
        image(run, "broken");
        run.pods().stream().filter(Pod::isBeingDeleted).forEach(each -> run.end(each.name()));
        assertThat(run.activePods().stream().filter(Pod::isReady)).hasSize(3);
        run.run.advance(Duration.ofSeconds(601));
        assertThat(condition(run, "Progressing").path("reason").asText()).isEqualTo("ProgressDeadlineExceeded");
        assertThat(condition(run, "Progressing").path("status").asText()).isEqualTo("False");
        // A rollback removes the broken Pods at once.
        image(run, "nginx:1").converge();
        assertThat(sets(run)).extracting(DeploymentControllerTest::image).containsExactly("broken", "nginx:1");
        assertThat(sets(run)).extracting(Workload::replicas).containsExactly(0, 4);
        assertThat(sets(run).get(1).annotation("deployment.kubernetes.io/revision-history"))
                .contains("1");
        assertThat(condition(run, "Progressing").path("reason").asText()).isEqualTo("NewReplicaSetAvailable");
    }

    @Test
    void recreate_endsAllOldPodsBeforeNewOnesStart() {
        WorkloadFixture run = deployment(2, "{type: Recreate}").converge();
        image(run, "nginx:2");
        assertThat(run.pods()).hasSize(2).allMatch(Pod::isBeingDeleted);
        run.end(run.pods().get(0).name());
        assertThat(run.pods()).hasSize(1);
        run.end(run.pods().get(0).name());
        assertThat(run.activePods()).hasSize(2);
        assertThat(run.converge().pods()).hasSize(2);
    }

    @Test
    void pausedDeployment_rollsOutNothingButScales() {
        WorkloadFixture run = deployment(2, rolling("1", "1")).converge();
        run.set(KEY, "/spec/paused", true);
        image(run, "nginx:2");
        assertThat(sets(run)).hasSize(1);
        assertThat(condition(run, "Progressing").path("reason").asText()).isEqualTo("DeploymentPaused");
        run.set(KEY, "/spec/replicas", 3).converge();
        assertThat(run.pods()).hasSize(3);
        run.set(KEY, "/spec/paused", false).converge();
        assertThat(sets(run)).extracting(Workload::replicas).containsExactly(0, 3);
    }

    @Test
    void scalingDuringAnUpdate_keepsTheProportion() {
        WorkloadFixture run = deployment(10, rolling("2", "3")).converge();
        image(run, "broken");
        run.pods().stream().filter(Pod::isBeingDeleted).forEach(each -> run.end(each.name()));
        assertThat(sets(run)).extracting(Workload::replicas).containsExactly(8, 5);
        run.set(KEY, "/spec/replicas", 15);
        assertThat(sets(run)).extracting(Workload::replicas).containsExactly(11, 7);
    }

    @Test
    void history_isLimited() {
        WorkloadFixture run = deployment(1, rolling("1", "1")).converge();
        run.set(KEY, "/spec/revisionHistoryLimit", 1);
        image(run, "nginx:2").converge();
        image(run, "nginx:3").converge();
        assertThat(sets(run)).extracting(DeploymentControllerTest::image).containsExactly("nginx:2", "nginx:3");
    }

    @Test
    void orphanedReplicaSet_isAdopted() {
        WorkloadFixture run = deployment(1, rolling("1", "1")).converge();
        ObjectNode set = run.tree(sets(run).get(0).key().text());
        ((ObjectNode) set.get("metadata")).remove("ownerReferences");
        run.put(set);
        assertThat(sets(run))
                .singleElement()
                .satisfies(each -> assertThat(each.controllerUid()).isEqualTo("uid-web"));
    }
}
