package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ExpandFixture.BLOCK;
import static dev.mooring.control.persistentvolume.ExpandFixture.CLAIM;
import static dev.mooring.control.persistentvolume.ExpandFixture.OPERATION;
import static dev.mooring.control.persistentvolume.ExpandFixture.VOLUME;
import static dev.mooring.control.persistentvolume.ExpandFixture.assertSettled;
import static dev.mooring.control.persistentvolume.ExpandFixture.capacities;
import static dev.mooring.control.persistentvolume.ExpandFixture.claim;
import static dev.mooring.control.persistentvolume.ExpandFixture.conditions;
import static dev.mooring.control.persistentvolume.ExpandFixture.events;
import static dev.mooring.control.persistentvolume.ExpandFixture.reportStatus;
import static dev.mooring.control.persistentvolume.ExpandFixture.request;
import static dev.mooring.control.persistentvolume.ExpandFixture.state;
import static dev.mooring.control.persistentvolume.ExpandFixture.status;
import static dev.mooring.control.persistentvolume.ExpandFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expansion of block volumes, which the node executes. */
class ExpandControllerTest {
    @Test
    void claim_requestRaised_createsOperationForNodeOfTheVolume() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();

        assertThat(world.takeEvents()).containsExactly("VolumeExpansionStarted " + CLAIM);
        assertThat(WorldFixture.tree(world.world(), OPERATION).path("spec"))
                .isEqualTo(WorldFixture.objects("""
                    spec:
                      operation: Grow
                      node: n2
                      provisioner: mooring.dev/block
                      persistentVolume: v
                      persistentVolumeUID: uid-v
                      claim: {namespace: team, name: data, uid: uid-data}
                      storageClassName: block
                      source: {csi: {driver: block.mooring.dev, volumeHandle: uid-v, volumeAttributes: {image: /base/v.img}}}
                      volumeMode: Filesystem
                      capacity: 5Gi
                      parameters: {overcommit: "true"}
                    """).get(0).path("spec"));
        assertThat(state(world)).isEqualTo("ControllerResizeInProgress");
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("5Gi");
        assertThat(conditions(world)).containsExactly("Resizing=True from 1Gi to 5Gi on node n2");
        assertThat(capacities(world)).isEqualTo("1Gi 1Gi");
        assertSettled(world);
    }

    @Test
    void operation_succeeded_updatesVolumeAndClaimInOneEvent() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Running}");
        world.takeEvents();
        reportStatus(world, "{state: Succeeded, capacity: 5Gi}");

        assertThat(world.takeEvents().get(0)).isEqualTo("VolumeExpanded " + CLAIM);
        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(conditions(world)).isEmpty();
        assertThat(status(world).has("allocatedResourceStatuses")).isFalse();
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("5Gi");
        assertThat(events(world))
                .containsExactly("Normal VolumeResizeSuccessful ExpandVolume succeeded for volume team/data");
        assertSettled(world);
    }

    @Test
    void expansion_unknownFieldsAndConditions_areKept() {
        ControllerFixture world = with(
                        BLOCK,
                        claim(
                                "5Gi",
                                ", conditions: [{type: Foreign, status: 'True'}], allocatedResources: {x.example/y:"
                                        + " 1}"))
                .settle();
        reportStatus(world, "{state: Succeeded}");

        ObjectNode claim = WorldFixture.tree(world.world(), CLAIM);
        assertThat(claim.at("/metadata/annotations/mine").asText()).isEqualTo("kept");
        assertThat(claim.at("/spec/unknownToUs").asInt()).isEqualTo(1);
        assertThat(claim.at("/status/unknownToUs").toString()).isEqualTo("[1]");
        assertThat(claim.at("/status/allocatedResources").has("x.example/y")).isTrue();
        assertThat(conditions(world)).containsExactly("Foreign=True ");
        ObjectNode volume = WorldFixture.tree(world.world(), VOLUME);
        assertThat(volume.at("/metadata/annotations/mine").asText()).isEqualTo("kept");
        assertThat(volume.at("/spec/unknownToUs/a").asInt()).isEqualTo(1);
    }

    @Test
    void operation_fileSystemResizePending_leavesClaimAtOldSize() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Succeeded, capacity: 5Gi, fileSystemResizePending: true}");

        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(capacities(world)).isEqualTo("5Gi 1Gi");
        assertThat(state(world)).isEqualTo("NodeResizePending");
        assertThat(conditions(world))
                .containsExactly(
                        "FileSystemResizePending=True Waiting for user to (re-)start a pod to finish file system"
                                + " resize of volume on node.");
        assertThat(WorldFixture.tree(world.world(), VOLUME)
                        .path("metadata")
                        .path("annotations")
                        .path("volume.alpha.kubernetes.io/pre-resize-capacity")
                        .asText())
                .isEqualTo("1Gi");
        assertThat(events(world))
                .containsExactly("Normal FileSystemResizeRequired Require file system resize of volume on node");
        assertSettled(world);
    }

    @Test
    void claim_fileSystemResizePending_isUpdatedWhenMountReportsNewSize() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Succeeded, capacity: 5Gi, fileSystemResizePending: true}");

        mounted(world, "4Gi");
        assertThat(capacities(world)).isEqualTo("5Gi 1Gi");
        mounted(world, "5Gi");

        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(state(world)).isEmpty();
        assertThat(events(world))
                .contains("Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume \"v\"");
        assertSettled(world);
    }

    static void mounted(ControllerFixture world, String capacity) {
        world.put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v.1},
             spec: {node: n2, persistentVolume: v}, status: {state: Mounted, deviceMount: Mounted, capacity: SIZE}}
            """.replace("SIZE", capacity)).settle();
    }

    @Test
    void claim_requestRaisedWhileFileSystemResizePending_expandsAgain() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Succeeded, fileSystemResizePending: true}");
        request(world, "6Gi");
        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/capacity")
                        .asText())
                .isEqualTo("6Gi");
        reportStatus(world, "{state: Succeeded, fileSystemResizePending: true}");

        assertThat(capacities(world)).isEqualTo("6Gi 1Gi");
        assertThat(WorldFixture.tree(world.world(), VOLUME)
                        .path("metadata")
                        .path("annotations")
                        .path("volume.alpha.kubernetes.io/pre-resize-capacity")
                        .asText())
                .isEqualTo("1Gi");
    }

    @Test
    void operation_failed_isReportedOnceAndRetriedByTheNode() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Failed, attempts: 1, lastError: {reason: IoError, message: the disk groans}}");

        assertThat(world.keys()).contains(OPERATION);
        assertThat(state(world)).isEqualTo("ControllerResizeInProgress");
        assertThat(conditions(world))
                .containsExactly(
                        "Resizing=True from 1Gi to 5Gi on node n2",
                        "ControllerResizeError=True failed to expand pvc with the disk groans");
        assertThat(events(world))
                .containsExactly("Warning VolumeResizeFailed error expanding volume \"v\" of plugin"
                        + " \"mooring.dev/block\": the disk groans");
        assertSettled(world);

        reportStatus(world, "{state: Failed, attempts: 2, lastError: {reason: IoError, message: the disk groans}}");
        assertThat(world.takeEvents()).as("events after the same failure").isEmpty();
        reportStatus(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(conditions(world)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "NoSpace"})
    void operation_infeasible_isRemovedUntilRequestChanges(String reason) {
        ControllerFixture world = with(BLOCK, claim("10Pi")).settle();
        reportStatus(
                world, "{state: Failed, attempts: 1, lastError: {reason: " + reason + ", message: only 3Gi are free}}");

        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(state(world)).isEqualTo("ControllerResizeInfeasible");
        assertThat(conditions(world))
                .containsExactly("ControllerResizeError=True failed to expand pvc with only 3Gi are free");
        assertThat(events(world)).hasSize(1);
        assertThat(events(world).get(0)).contains("until the claim requests another size, which may be any above 1Gi");
        assertSettled(world);
        world.advance(Duration.ofDays(1));
        assertThat(world.takeEvents()).isEmpty();

        request(world, "2Gi");
        assertThat(state(world)).isEqualTo("ControllerResizeInProgress");
        assertThat(conditions(world)).containsExactly("Resizing=True from 1Gi to 2Gi on node n2");
        reportStatus(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("2Gi 2Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{state: Pending}", "{state: Failed, attempts: 3, lastError: {message: x}}"})
    void claim_requestLoweredBeforeStart_changesOrRemovesOperation(String status) {
        ControllerFixture world = with(BLOCK, claim("10Pi")).settle();
        reportStatus(world, status);
        world.takeEvents();
        request(world, "2Gi");

        assertThat(world.takeEvents()).containsExactly("VolumeExpansionChanged " + CLAIM);
        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/capacity")
                        .asText())
                .isEqualTo("2Gi");
        assertThat(WorldFixture.tree(world.world(), OPERATION).has("status")).isFalse();
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("2Gi");
        assertSettled(world);

        request(world, "1Gi");
        assertThat(world.takeEvents()).containsExactly("VolumeExpansionTakenBack " + CLAIM);
        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(conditions(world)).isEmpty();
        assertThat(status(world).has("allocatedResources")).isFalse();
        assertThat(status(world).has("allocatedResourceStatuses")).isFalse();
        assertSettled(world);
    }

    @Test
    void claim_requestChangedWhileRunning_isAppliedAfterwards() {
        ControllerFixture world = with(BLOCK, claim("3Gi")).settle();
        reportStatus(world, "{state: Running}");
        world.takeEvents();
        request(world, "2Gi");
        assertThat(world.takeEvents()).isEmpty();
        request(world, "5Gi");
        assertThat(world.takeEvents()).isEmpty();

        reportStatus(world, "{state: Succeeded, capacity: 3Gi}");
        assertThat(capacities(world)).isEqualTo("3Gi 3Gi");
        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/capacity")
                        .asText())
                .as("size of the next operation")
                .isEqualTo("5Gi");
        reportStatus(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
    }

    @Test
    void claim_requestEqualsCapacity_clearsStatusOfInfeasibleResize() {
        ControllerFixture world = with(
                        BLOCK,
                        claim(
                                "1Gi",
                                ", allocatedResources: {storage: 9Pi}, allocatedResourceStatuses: {storage:"
                                        + " ControllerResizeInfeasible}, conditions: [{type: ControllerResizeError,"
                                        + " status: 'True'}]"))
                .settle();

        assertThat(world.takeEvents()).containsExactly("VolumeExpansionTakenBack " + CLAIM);
        assertThat(status(world).has("conditions")).isFalse();
        assertSettled(world);
    }
}
