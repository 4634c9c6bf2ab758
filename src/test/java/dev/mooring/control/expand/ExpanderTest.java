package dev.mooring.control.expand;

import static dev.mooring.control.expand.GrowingClaim.BLOCK;
import static dev.mooring.control.expand.GrowingClaim.CLAIM;
import static dev.mooring.control.expand.GrowingClaim.OPERATION;
import static dev.mooring.control.expand.GrowingClaim.VOLUME;
import static dev.mooring.control.expand.GrowingClaim.ask;
import static dev.mooring.control.expand.GrowingClaim.capacities;
import static dev.mooring.control.expand.GrowingClaim.claim;
import static dev.mooring.control.expand.GrowingClaim.conditions;
import static dev.mooring.control.expand.GrowingClaim.node;
import static dev.mooring.control.expand.GrowingClaim.settled;
import static dev.mooring.control.expand.GrowingClaim.state;
import static dev.mooring.control.expand.GrowingClaim.status;
import static dev.mooring.control.expand.GrowingClaim.told;
import static dev.mooring.control.expand.GrowingClaim.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Block volumes: the node makes them larger. */
class ExpanderTest {
    @Test
    void asksTheNodeThatHasABlockVolume() {
        OneController world = with(BLOCK, claim("5Gi")).settle();

        assertThat(world.did()).containsExactly("VolumeExpansionStarted " + CLAIM);
        assertThat(Worlds.tree(world.world(), OPERATION).path("spec"))
                .isEqualTo(Worlds.objects("""
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
        settled(world);
    }

    @Test
    void givesVolumeAndClaimTheNewSizeInOneEvent() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Running}");
        world.did();
        node(world, "{state: Succeeded, capacity: 5Gi}");

        assertThat(world.did().get(0)).isEqualTo("VolumeExpanded " + CLAIM);
        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(conditions(world)).isEmpty();
        assertThat(status(world).has("allocatedResourceStatuses")).isFalse();
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("5Gi");
        assertThat(told(world))
                .containsExactly("Normal VolumeResizeSuccessful ExpandVolume succeeded for volume team/data");
        settled(world);
    }

    @Test
    void leavesWhatItDoesNotKnowAsItIs() {
        OneController world = with(
                        BLOCK,
                        claim(
                                "5Gi",
                                ", conditions: [{type: Foreign, status: 'True'}], allocatedResources: {x.example/y:"
                                        + " 1}"))
                .settle();
        node(world, "{state: Succeeded}");

        ObjectNode claim = Worlds.tree(world.world(), CLAIM);
        assertThat(claim.at("/metadata/annotations/mine").asText()).isEqualTo("kept");
        assertThat(claim.at("/spec/unknownToUs").asInt()).isEqualTo(1);
        assertThat(claim.at("/status/unknownToUs").toString()).isEqualTo("[1]");
        assertThat(claim.at("/status/allocatedResources").has("x.example/y")).isTrue();
        assertThat(conditions(world)).containsExactly("Foreign=True ");
        ObjectNode volume = Worlds.tree(world.world(), VOLUME);
        assertThat(volume.at("/metadata/annotations/mine").asText()).isEqualTo("kept");
        assertThat(volume.at("/spec/unknownToUs/a").asInt()).isEqualTo(1);
    }

    @Test
    void leavesTheFileSystemToTheNodeThatMountsIt() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Succeeded, capacity: 5Gi, fileSystemResizePending: true}");

        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(capacities(world)).isEqualTo("5Gi 1Gi");
        assertThat(state(world)).isEqualTo("NodeResizePending");
        assertThat(conditions(world))
                .containsExactly(
                        "FileSystemResizePending=True Waiting for user to (re-)start a pod to finish file system"
                                + " resize of volume on node.");
        assertThat(Worlds.tree(world.world(), VOLUME)
                        .path("metadata")
                        .path("annotations")
                        .path("volume.alpha.kubernetes.io/pre-resize-capacity")
                        .asText())
                .isEqualTo("1Gi");
        assertThat(told(world))
                .containsExactly("Normal FileSystemResizeRequired Require file system resize of volume on node");
        settled(world);
    }

    @Test
    void isDoneWhenTheNodeThatMountsItHasGrownTheFileSystem() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Succeeded, capacity: 5Gi, fileSystemResizePending: true}");

        mounted(world, "4Gi");
        assertThat(capacities(world)).isEqualTo("5Gi 1Gi");
        mounted(world, "5Gi");

        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(state(world)).isEmpty();
        assertThat(told(world))
                .contains("Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume \"v\"");
        settled(world);
    }

    private static void mounted(OneController world, String capacity) {
        world.put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v.1},
             spec: {node: n2, persistentVolume: v}, status: {state: Mounted, deviceMount: Mounted, capacity: SIZE}}
            """.replace("SIZE", capacity)).settle();
    }

    @Test
    void growsAgainWhileTheFileSystemWaits() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Succeeded, fileSystemResizePending: true}");
        ask(world, "6Gi");
        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/capacity").asText())
                .isEqualTo("6Gi");
        node(world, "{state: Succeeded, fileSystemResizePending: true}");

        assertThat(capacities(world)).isEqualTo("6Gi 1Gi");
        assertThat(Worlds.tree(world.world(), VOLUME)
                        .path("metadata")
                        .path("annotations")
                        .path("volume.alpha.kubernetes.io/pre-resize-capacity")
                        .asText())
                .isEqualTo("1Gi");
    }

    @Test
    void saysWhatWentWrongAndLetsTheNodeTryAgain() {
        OneController world = with(BLOCK, claim("5Gi")).settle();
        node(world, "{state: Failed, attempts: 1, lastError: {reason: IoError, message: the disk groans}}");

        assertThat(world.keys()).contains(OPERATION);
        assertThat(state(world)).isEqualTo("ControllerResizeInProgress");
        assertThat(conditions(world))
                .containsExactly(
                        "Resizing=True from 1Gi to 5Gi on node n2",
                        "ControllerResizeError=True failed to expand pvc with the disk groans");
        assertThat(told(world))
                .containsExactly("Warning VolumeResizeFailed error expanding volume \"v\" of plugin"
                        + " \"mooring.dev/block\": the disk groans");
        settled(world);

        node(world, "{state: Failed, attempts: 2, lastError: {reason: IoError, message: the disk groans}}");
        assertThat(world.did()).as("the same again is no news").isEmpty();
        node(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(conditions(world)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "NoSpace"})
    void givesUpWhatCannotBeUntilTheClaimAsksForAnotherSize(String reason) {
        OneController world = with(BLOCK, claim("10Pi")).settle();
        node(world, "{state: Failed, attempts: 1, lastError: {reason: " + reason + ", message: only 3Gi are free}}");

        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(state(world)).isEqualTo("ControllerResizeInfeasible");
        assertThat(conditions(world))
                .containsExactly("ControllerResizeError=True failed to expand pvc with only 3Gi are free");
        assertThat(told(world)).hasSize(1);
        assertThat(told(world).get(0)).contains("until the claim asks for another size, which may be any above 1Gi");
        settled(world);
        world.pass(Duration.ofDays(1));
        assertThat(world.did()).isEmpty();

        ask(world, "2Gi");
        assertThat(state(world)).isEqualTo("ControllerResizeInProgress");
        assertThat(conditions(world)).containsExactly("Resizing=True from 1Gi to 2Gi on node n2");
        node(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("2Gi 2Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{state: Pending}", "{state: Failed, attempts: 3, lastError: {message: x}}"})
    void letsAMistypedSizeBeTakenBack(String status) {
        OneController world = with(BLOCK, claim("10Pi")).settle();
        node(world, status);
        world.did();
        ask(world, "2Gi");

        assertThat(world.did()).containsExactly("VolumeExpansionChanged " + CLAIM);
        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/capacity").asText())
                .isEqualTo("2Gi");
        assertThat(Worlds.tree(world.world(), OPERATION).has("status")).isFalse();
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("2Gi");
        settled(world);

        ask(world, "1Gi");
        assertThat(world.did()).containsExactly("VolumeExpansionTakenBack " + CLAIM);
        assertThat(world.keys()).doesNotContain(OPERATION);
        assertThat(conditions(world)).isEmpty();
        assertThat(status(world).has("allocatedResources")).isFalse();
        assertThat(status(world).has("allocatedResourceStatuses")).isFalse();
        settled(world);
    }

    @Test
    void waitsForWorkThatHasBegun() {
        OneController world = with(BLOCK, claim("3Gi")).settle();
        node(world, "{state: Running}");
        world.did();
        ask(world, "2Gi");
        assertThat(world.did()).isEmpty();
        ask(world, "5Gi");
        assertThat(world.did()).isEmpty();

        node(world, "{state: Succeeded, capacity: 3Gi}");
        assertThat(capacities(world)).isEqualTo("3Gi 3Gi");
        assertThat(Worlds.tree(world.world(), OPERATION).at("/spec/capacity").asText())
                .as("the rest")
                .isEqualTo("5Gi");
        node(world, "{state: Succeeded}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
    }

    @Test
    void clearsWhatAnImpossibleSizeLeftBehind() {
        OneController world = with(
                        BLOCK,
                        claim(
                                "1Gi",
                                ", allocatedResources: {storage: 9Pi}, allocatedResourceStatuses: {storage:"
                                        + " ControllerResizeInfeasible}, conditions: [{type: ControllerResizeError,"
                                        + " status: 'True'}]"))
                .settle();

        assertThat(world.did()).containsExactly("VolumeExpansionTakenBack " + CLAIM);
        assertThat(status(world).has("conditions")).isFalse();
        settled(world);
    }
}
