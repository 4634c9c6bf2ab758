package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ProvisionFixture.BASE;
import static dev.mooring.control.persistentvolume.ProvisionFixture.CLAIM;
import static dev.mooring.control.persistentvolume.ProvisionFixture.DELETE_SPEC;
import static dev.mooring.control.persistentvolume.ProvisionFixture.OPERATION;
import static dev.mooring.control.persistentvolume.ProvisionFixture.PROVISION_SPEC;
import static dev.mooring.control.persistentvolume.ProvisionFixture.SUCCEEDED_STATUS;
import static dev.mooring.control.persistentvolume.ProvisionFixture.UID;
import static dev.mooring.control.persistentvolume.ProvisionFixture.VOLUME;
import static dev.mooring.control.persistentvolume.ProvisionFixture.claim;
import static dev.mooring.control.persistentvolume.ProvisionFixture.condition;
import static dev.mooring.control.persistentvolume.ProvisionFixture.events;
import static dev.mooring.control.persistentvolume.ProvisionFixture.operation;
import static dev.mooring.control.persistentvolume.ProvisionFixture.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations whose node is not ready, deleted or no longer selected. */
class ProvisionNodesTest {
    private static final String SECOND = "---\n{kind: Node, metadata: {name: n2}}";

    private static final String NOT_READY =
            "---\n{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: Unknown}]}}";

    @Test
    void operation_failedOnSelectedNode_isGivenBackToSchedulerWithGrowingDelay() {
        String failed = operation(
                PROVISION_SPEC,
                "{state: Failed, lastError: {message: disk full}, source: {hostPath: {path: /srv/pvc-uid-data}}}");
        ControllerFixture run = run(BASE + claim("volume.kubernetes.io/selected-node: n1") + failed);
        assertThat(run.takeEvents()).containsExactly("ProvisioningGivenBack " + CLAIM);
        ObjectNode claim = WorldFixture.tree(run.world(), CLAIM);
        assertThat(claim.path("metadata").path("annotations"))
                .hasToString("{\"foreign\":\"stays\",\"mooring.dev/provisioning-failures\":\"1\"}");
        assertThat(condition(run)).endsWith("disk full");
        assertThat(events(run)).hasSize(1);
        assertThat(WorldFixture.tree(run.world(), OPERATION)
                        .path("spec")
                        .path("operation")
                        .asText())
                .isEqualTo("Delete");

        String sixth = claim("volume.kubernetes.io/selected-node: n1, mooring.dev/provisioning-failures: '5'");
        ControllerFixture delayed = run(BASE + sixth + failed);
        assertThat(delayed.takeEvents()).containsExactly("ProvisioningFailed " + CLAIM);
        delayed.advance(Duration.ofSeconds(15));
        assertThat(delayed.takeEvents()).isEmpty();
        delayed.advance(Duration.ofSeconds(1));
        assertThat(delayed.takeEvents()).containsExactly("ProvisioningGivenBack " + CLAIM);
        assertThat(WorldFixture.tree(delayed.world(), CLAIM)
                        .path("metadata")
                        .path("annotations")
                        .path("mooring.dev/provisioning-failures")
                        .asText())
                .isEqualTo("6");
        ControllerFixture invalidCount = run(BASE
                + claim("volume.kubernetes.io/selected-node: n1, mooring.dev/provisioning-failures: many")
                + failed);
        assertThat(invalidCount.takeEvents()).containsExactly("ProvisioningGivenBack " + CLAIM);
    }

    @Test
    void operation_notStartedAndNodeNotReady_movesToAnotherNode() {
        ControllerFixture run = run(BASE + claim("") + operation(PROVISION_SPEC, "{}"));
        assertThat(run.takeEvents()).isEmpty();
        run.put(NOT_READY).settle();
        assertThat(condition(run))
                .isEqualTo(
                        "ProvisioningFailed: failed to provision volume with StorageClass \"gold\": node \"n1\" is not"
                                + " ready, and no node can provision the volume: n1 is not ready");
        run.takeEvents();
        run.put(SECOND).settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningMoved " + OPERATION, "ProvisioningResumed " + CLAIM);
        assertThat(WorldFixture.tree(run.world(), OPERATION)
                        .path("spec")
                        .path("node")
                        .asText())
                .isEqualTo("n2");
        assertThat(events(run))
                .contains("Normal Provisioning: node \"n1\" is not ready: node \"n2\" provisions volume"
                        + " \"pvc-uid-data\" instead");
    }

    @Test
    void operation_runningAndNodeNotReady_waitsForTheNode() {
        ControllerFixture run = run(BASE
                + claim("volume.kubernetes.io/selected-node: n1")
                + SECOND
                + operation(PROVISION_SPEC, "{state: Running}"));
        run.put(NOT_READY).settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningFailed " + CLAIM);
        assertThat(condition(run))
                .isEqualTo(
                        "ProvisioningFailed: failed to provision volume with StorageClass \"gold\": node \"n1\" is not"
                                + " ready and may have started to provision volume \"pvc-uid-data\": it must become"
                                + " ready to finish");
        run.put("{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'True'}]}}")
                .settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningResumed " + CLAIM);
    }

    @Test
    void operation_notStartedAndSelectedNodeNotReady_isGivenBackToScheduler() {
        ControllerFixture run =
                run(BASE + claim("volume.kubernetes.io/selected-node: n1") + SECOND + operation(PROVISION_SPEC, "{}"));
        run.put(NOT_READY).settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningGivenBack " + CLAIM);
        assertThat(run.keys()).doesNotContain(OPERATION);
    }

    @Test
    void operation_selectedNodeChanges_movesOnlyIfNotStarted() {
        ControllerFixture run =
                run(BASE + claim("volume.kubernetes.io/selected-node: n2") + SECOND + operation(PROVISION_SPEC, "{}"));
        assertThat(run.takeEvents()).containsExactly("ProvisioningMoved " + OPERATION);
        ControllerFixture running = run(BASE
                + claim("volume.kubernetes.io/selected-node: n2")
                + SECOND
                + operation(PROVISION_SPEC, "{state: Running}"));
        assertThat(running.takeEvents()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{state: Running}", "{state: Failed}", SUCCEEDED_STATUS})
    void operation_startedAndNodeDeleted_isRemovedAndLeftoversReported(String status) {
        for (String work : List.of(PROVISION_SPEC, DELETE_SPEC)) {
            if (work.equals(DELETE_SPEC) && status.equals(SUCCEEDED_STATUS)) {
                continue;
            }
            ControllerFixture run = run(BASE
                    + claim("volume.kubernetes.io/selected-node: n1")
                    + SECOND
                    + operation(work, "{state: Running}"));
            run.takeEvents();
            run.remove("nodes/n1").put(operation(work, status)).settle();
            assertThat(run.takeEvents()).first().asString().startsWith("ProvisioningForgotten");
            assertThat(run.keys()).doesNotContain(OPERATION);
            assertThat(events(run))
                    .singleElement()
                    .asString()
                    .startsWith("Warning ProvisioningCleanupFailed: node \"n1\" no longer exists; data that it created"
                            + " for volume \"pvc-uid-data\" (" + UID + ") may be left there at ")
                    .contains(status.equals(SUCCEEDED_STATUS) ? "/srv/pvc-uid-data" : "pvc-uid-data below its base")
                    .endsWith(". Please delete manually.");
            boolean chosen = WorldFixture.tree(run.world(), CLAIM)
                    .path("metadata")
                    .path("annotations")
                    .has("volume.kubernetes.io/selected-node");
            assertThat(chosen).isEqualTo(work.equals(DELETE_SPEC));
        }
    }

    @Test
    void nfsOperation_nodeDeleted_movesToAnotherNode() {
        String nfs = operation("operation: Provision, node: gone, provisioner: mooring.dev/nfs", "{state: Running}")
                .replace("basePath: /srv", "server: nas, share: /exports");
        assertThat(run(BASE + claim("") + nfs).takeEvents()).containsExactly("ProvisioningMoved " + OPERATION);
        assertThat(run(BASE + nfs.replace("Provision,", "Delete,").replace("operation: Provision", "operation: Delete"))
                        .takeEvents())
                .containsExactly("ProvisioningMoved " + OPERATION);
        String succeeded = nfs.replace(
                "{state: Running}", "{state: Succeeded, source: {nfs: {server: nas, path: /exports/pvc-uid-data}}}");
        assertThat(run(BASE + claim("") + succeeded).takeEvents()).containsExactly("VolumeProvisioned " + VOLUME);
    }
}
