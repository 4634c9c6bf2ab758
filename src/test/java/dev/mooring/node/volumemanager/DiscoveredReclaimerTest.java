package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how discovered volumes are reclaimed after their claim was deleted. */
class DiscoveredReclaimerTest {
    private static final String OPERATION = "volumeoperations.mooring.dev/wipe-u1";
    private static final String DEFAULT = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String RELEASED = """
        ---
        kind: PersistentVolume
        metadata: {name: pv, uid: u1, annotations: {mooring.dev/discovered-by: n1, theirs: kept,
          pv.kubernetes.io/bound-by-controller: 'yes'}}
        spec: {capacity: {storage: 10Gi}, local: {path: /mnt/disks/a}, persistentVolumeReclaimPolicy: Delete,
          storageClassName: local, volumeMode: Filesystem, later: kept,
          claimRef: {namespace: team, name: data, uid: c1}}
        status: {phase: Released}
        """;

    private static ControllerFixture world(String yaml) {
        return new ControllerFixture(new DiscoveredReclaimer("n1"), DEFAULT + yaml).settle();
    }

    private static void operationBecomes(ControllerFixture world, String state) {
        ObjectNode operation = WorldFixture.tree(world.world(), OPERATION);
        operation.putObject("status").put("state", state).putObject("lastError").put("message", "it is stuck");
        world.put(operation.toString()).settle();
    }

    @Test
    void releasedVolume_getsScrubOperation() {
        ControllerFixture world = world(RELEASED);
        assertThat(world.takeEvents()).containsExactly("VolumeScrubRequested " + OPERATION);
        ObjectNode operation = WorldFixture.tree(world.world(), OPERATION);
        assertThat(operation.path("spec"))
                .isEqualTo(WorldFixture.objects("{spec: {operation: Scrub, node: n1, provisioner: mooring.dev/local,"
                                + " persistentVolume: pv, persistentVolumeUID: u1, claim: {namespace: team, name: data,"
                                + " uid: c1}, storageClassName: local, source: {local: {path: /mnt/disks/a}},"
                                + " volumeMode: Filesystem, capacity: 10Gi}}")
                        .get(0)
                        .path("spec"));
        assertThat(world.settle().takeEvents()).isEmpty();
    }

    @Test
    void releasedVolume_scrubSucceeded_becomesAvailable() {
        ControllerFixture world = world(RELEASED);
        world.takeEvents();
        operationBecomes(world, "Running");
        assertThat(world.takeEvents()).isEmpty();
        operationBecomes(world, "Succeeded");
        assertThat(world.takeEvents()).first().isEqualTo("VolumeOfferedAgain persistentvolumes/pv");
        ObjectNode volume = WorldFixture.tree(world.world(), "persistentvolumes/pv");
        assertThat(volume.path("spec").has("claimRef")).isFalse();
        assertThat(volume.path("spec").path("later").asText()).isEqualTo("kept");
        assertThat(volume.path("status").path("phase").asText()).isEqualTo("Available");
        assertThat(volume.path("metadata").path("annotations").toString())
                .isEqualTo("{\"mooring.dev/discovered-by\":\"n1\",\"theirs\":\"kept\"}");
        assertThat(world.keys()).doesNotContain(OPERATION).anyMatch(key -> key.startsWith("events/default/pv."));
        assertThat(world.settle().takeEvents()).isEmpty();
    }

    @Test
    void releasedVolume_scrubFailed_staysReleasedWithOneEvent() {
        ControllerFixture world = world(RELEASED);
        operationBecomes(world, "Failed");
        world.takeEvents();
        operationBecomes(world, "Failed");
        assertThat(world.takeEvents()).as("events of a repeated failure").isEmpty();
        assertThat(world.keys()).anyMatch(key -> key.startsWith("events/default/pv."));
        assertThat(WorldFixture.tree(world.world(), "persistentvolumes/pv")
                        .path("status")
                        .path("phase")
                        .asText())
                .isEqualTo("Released");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "phase: Released|phase: Bound",
                "phase: Released|phase: Available",
                "persistentVolumeReclaimPolicy: Delete|persistentVolumeReclaimPolicy: Retain",
                "volumeMode: Filesystem|volumeMode: Block",
                "discovered-by: n1|discovered-by: n2",
                "mooring.dev/discovered-by|example.com/discovered-by",
                "uid: u1|uid: u1, deletionTimestamp: '2026-01-01T00:00:00Z'",
                ", uid: c1}|}"
            })
    void otherVolume_getsNoScrubOperation(String change) {
        String[] sides = change.split("\\|", -1);
        assertThat(RELEASED).contains(sides[0]);
        assertThat(world(RELEASED.replace(sides[0], sides[1])).takeEvents()).isEmpty();
    }

    @Test
    void releasedVolume_claimStillExists_getsNoScrubOperation() {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: {name: data, namespace: team, uid: c1}}\n";
        assertThat(world(RELEASED + claim).takeEvents()).isEmpty();
        assertThat(world(RELEASED + claim.replace("c1", "c2")).takeEvents()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "actualvolumes.mooring.dev/av|{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: av},"
                        + " spec: {persistentVolume: pv}, status: {state: Mounted, mounts: [{path: /x}]}}",
                "actualvolumes.mooring.dev/av|{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: av},"
                        + " spec: {persistentVolume: pv}, status: {state: Failed, devicePath: /dev/x}}",
                "volumeattachments.storage.k8s.io/va|{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment,"
                        + " metadata: {name: va}, spec: {source: {persistentVolumeName: pv}}}"
            })
    void releasedVolume_inUse_isScrubbedAfterUseEnds(String user) {
        String[] parts = user.split("\\|", -1);
        ControllerFixture world = world(RELEASED + "---\n" + parts[1] + "\n");
        assertThat(world.takeEvents()).isEmpty();
        world.remove(parts[0]).settle();
        assertThat(world.takeEvents()).containsExactly("VolumeScrubRequested " + OPERATION);
    }

    @Test
    void releasedVolume_failedMountLeftNothing_isScrubbed() {
        String attempt = "---\n{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: av},"
                + " spec: {persistentVolume: pv}, status: {state: Failed}}\n";
        assertThat(world(RELEASED + attempt).takeEvents()).hasSize(1);
        assertThat(world(RELEASED + attempt.replace("Volume: pv", "Volume: pv2").replace("Failed", "Mounted"))
                        .takeEvents())
                .hasSize(1);
    }

    @Test
    void scrubOperation_volumeNoLongerReleased_isDroppedUnlessRunning() {
        for (String state : List.of("Pending", "Failed", "Succeeded", "Running")) {
            ControllerFixture world = world(RELEASED);
            operationBecomes(world, "Running");
            world.put(RELEASED.replace("phase: Released", "phase: Bound")).settle();
            world.takeEvents();
            operationBecomes(world, state);
            assertThat(world.takeEvents())
                    .isEqualTo(state.equals("Running") ? List.of() : List.of("VolumeScrubDropped " + OPERATION));
        }
    }

    @Test
    void scrubOperation_volumeDeleted_isDroppedWhenNotRunning() {
        ControllerFixture world = world(RELEASED);
        operationBecomes(world, "Running");
        world.takeEvents();
        world.remove("persistentvolumes/pv").settle();
        assertThat(world.takeEvents()).isEmpty();
        operationBecomes(world, "Succeeded");
        assertThat(world.takeEvents()).containsExactly("VolumeScrubDropped " + OPERATION);
        ControllerFixture pending = world(RELEASED);
        pending.takeEvents();
        assertThat(pending.remove("persistentvolumes/pv").settle().takeEvents())
                .containsExactly("VolumeScrubDropped " + OPERATION);
    }

    @Test
    void scrubOperation_ofOtherVolume_isKept() {
        String theirs = "---\n{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: wipe-u9},"
                + " spec: {operation: Scrub, node: n1, persistentVolume: missing}, status: {state: Succeeded}}\n";
        assertThat(world(theirs).takeEvents()).isEmpty();
    }
}
