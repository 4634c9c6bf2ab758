package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatefulSetControllerTest {
    private static final String KEY = "statefulsets.apps/ns/db";

    private static WorkloadFixture set(int replicas, String more) {
        return new WorkloadFixture(
                "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ns, generation: 1}, spec: {"
                        + "replicas: " + replicas + ", serviceName: db, selector: {matchLabels: {app: db}}, "
                        + "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],"
                        + " resources: {requests: {storage: 1Gi}}}}], " + more
                        + WorkloadFixture.template("app: db", "postgres:1") + "}}\n");
    }

    private static WorkloadFixture image(WorkloadFixture run, String image) {
        ObjectNode tree = run.tree(KEY);
        ((ObjectNode) tree.at("/spec/template/spec/containers/0")).put("image", image);
        ObjectNode metadata = (ObjectNode) tree.get("metadata");
        metadata.put("generation", metadata.path("generation").asInt() + 1);
        return run.put(tree);
    }

    private static List<String> names(WorkloadFixture run) {
        return run.pods().stream().map(Pod::name).toList();
    }

    private static List<String> images(WorkloadFixture run) {
        return run.pods().stream()
                .map(pod -> pod.spec().at("/containers/0/image").asText())
                .toList();
    }

    private static List<String> claims(WorkloadFixture run) {
        return run.run.world().stream(Scope.resource("persistentvolumeclaims"))
                .map(each -> each.key().name())
                .toList();
    }

    @Test
    void orderedSet_createsPodsOneAfterTheOtherWithTheirClaims() {
        WorkloadFixture run = set(2, "");
        assertThat(names(run)).containsExactly("db-0");
        assertThat(claims(run)).containsExactly("data-db-0");
        run.ready("db-0", true);
        assertThat(names(run)).containsExactly("db-0", "db-1");
        run.ready("db-1", true);
        JsonNode pod = run.tree("pods/ns/db-1");
        JsonNode labels = pod.path("metadata").path("labels");
        assertThat(labels.path("statefulset.kubernetes.io/pod-name").asText()).isEqualTo("db-1");
        assertThat(labels.path("apps.kubernetes.io/pod-index").asText()).isEqualTo("1");
        assertThat(labels.path("controller-revision-hash").asText())
                .isEqualTo(run.status(KEY).path("updateRevision").asText())
                .startsWith("db-");
        assertThat(pod.at("/spec/hostname").asText()).isEqualTo("db-1");
        assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("db");
        assertThat(pod.at("/spec/volumes/0/persistentVolumeClaim/claimName").asText())
                .isEqualTo("data-db-1");
        assertThat(run.status(KEY).path("readyReplicas").asInt()).isEqualTo(2);
        assertThat(run.status(KEY).path("currentRevision"))
                .isEqualTo(run.status(KEY).path("updateRevision"));
        assertThat(run.events())
                .contains(
                        "SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success",
                        "SuccessfulCreate: create Pod db-0 in StatefulSet db successful");
        run.assertSettled();
    }

    @Test
    void parallelSet_createsAllPodsAtOnce() {
        assertThat(names(set(3, "podManagementPolicy: Parallel, "))).containsExactly("db-0", "db-1", "db-2");
    }

    @Test
    void ordinalsStart_movesTheNumbers() {
        assertThat(names(set(2, "ordinals: {start: 5}, ").converge())).containsExactly("db-5", "db-6");
    }

    @Test
    void fewerReplicas_removesTheHighestFirstAndKeepsClaims() {
        WorkloadFixture run = set(3, "").converge().set(KEY, "/spec/replicas", 1);
        assertThat(run.activePods()).extracting(Pod::name).containsExactly("db-0", "db-1");
        run.end("db-2");
        assertThat(run.activePods()).extracting(Pod::name).containsExactly("db-0");
        run.converge();
        assertThat(claims(run)).containsExactly("data-db-0", "data-db-1", "data-db-2");
        assertThat(run.events()).contains("SuccessfulDelete: delete Pod db-2 in StatefulSet db successful");
    }

    @Test
    void retentionPolicy_deletesClaimsWithTheirPodsAndTheSet() {
        WorkloadFixture run = set(
                        2, "persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}, ")
                .converge();
        JsonNode owner = run.tree("persistentvolumeclaims/ns/data-db-1").at("/metadata/ownerReferences/0");
        assertThat(owner.path("kind").asText()).isEqualTo("StatefulSet");
        run.set(KEY, "/spec/replicas", 1);
        owner = run.tree("persistentvolumeclaims/ns/data-db-1").at("/metadata/ownerReferences/0");
        assertThat(owner.path("kind").asText() + ' ' + owner.path("name").asText())
                .isEqualTo("Pod db-1");
        run.converge();
        // The claim has the protection finalizer, which another controller removes.
        assertThat(run.tree("persistentvolumeclaims/ns/data-db-1")
                        .at("/metadata")
                        .has("deletionTimestamp"))
                .isTrue();
        assertThat(run.tree("persistentvolumeclaims/ns/data-db-0")
                        .at("/metadata")
                        .has("deletionTimestamp"))
                .isFalse();
    }

    @Test
    void rollingUpdate_replacesFromTheHighestAndRespectsThePartition() {
        WorkloadFixture run = set(3, "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}, ")
                .converge();
        image(run, "postgres:2");
        assertThat(run.activePods()).extracting(Pod::name).containsExactly("db-0", "db-1");
        run.end("db-2");
        assertThat(run.activePods()).extracting(Pod::name).containsExactly("db-0", "db-1", "db-2");
        run.converge();
        assertThat(images(run)).containsExactly("postgres:1", "postgres:2", "postgres:2");
        JsonNode status = run.status(KEY);
        assertThat(status.path("currentReplicas").asInt()).isEqualTo(1);
        assertThat(status.path("updatedReplicas").asInt()).isEqualTo(2);
        assertThat(status.path("currentRevision")).isNotEqualTo(status.path("updateRevision"));
        // A Pod below the partition is created with the old template again.
        run.end("db-0").converge();
        assertThat(images(run)).containsExactly("postgres:1", "postgres:2", "postgres:2");
        run.set(KEY, "/spec/updateStrategy/rollingUpdate/partition", 0).converge();
        assertThat(images(run)).containsOnly("postgres:2");
        assertThat(run.status(KEY).path("currentRevision"))
                .isEqualTo(run.status(KEY).path("updateRevision"));
    }

    @Test
    void onDelete_replacesOnlyDeletedPods() {
        WorkloadFixture run = set(2, "updateStrategy: {type: OnDelete}, ").converge();
        image(run, "postgres:2").converge();
        assertThat(images(run)).containsExactly("postgres:1", "postgres:1");
        run.end("db-1").converge();
        assertThat(images(run)).containsExactly("postgres:1", "postgres:2");
    }

    @Test
    void rollback_bumpsTheOldRevision() {
        WorkloadFixture run = set(1, "").converge();
        String first = run.status(KEY).path("updateRevision").asText();
        image(run, "postgres:2").converge();
        image(run, "postgres:1").converge();
        assertThat(run.status(KEY).path("currentRevision").asText()).isEqualTo(first);
        assertThat(run.tree("controllerrevisions.apps/ns/" + first)
                        .path("revision")
                        .asInt())
                .isEqualTo(3);
        assertThat(images(run)).containsExactly("postgres:1");
    }

    @Test
    void podThatIsNeverReady_isReplacedWhenTheTemplateChanges() {
        WorkloadFixture run = set(1, "");
        image(run, "postgres:2");
        assertThat(run.activePods()).hasSize(1);
        assertThat(images(run.converge())).containsExactly("postgres:2");
    }

    @Test
    void failedPod_isCreatedAgain() {
        WorkloadFixture run = set(1, "").converge();
        ObjectNode pod = run.tree("pods/ns/db-0");
        pod.withObject("/status").put("phase", "Failed");
        String uid = pod.at("/metadata/uid").asText();
        run.put(pod);
        assertThat(run.tree("pods/ns/db-0").at("/metadata/uid").asText()).isNotEqualTo(uid);
    }
}
