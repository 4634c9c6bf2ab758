package dev.mooring.node.discover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a discovered volume that a claim has left. */
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

    private static OneController world(String yaml) {
        return new OneController(new DiscoveredReclaimer("n1"), DEFAULT + yaml).settle();
    }

    private static void operationBecomes(OneController world, String state) {
        ObjectNode operation = Worlds.tree(world.world(), OPERATION);
        operation.putObject("status").put("state", state).putObject("lastError").put("message", "it is stuck");
        world.put(operation.toString()).settle();
    }

    @Test
    void hasItScrubbed() {
        OneController world = world(RELEASED);
        assertThat(world.did()).containsExactly("VolumeScrubRequested " + OPERATION);
        ObjectNode operation = Worlds.tree(world.world(), OPERATION);
        assertThat(operation.path("spec"))
                .isEqualTo(Worlds.objects("{spec: {operation: Scrub, node: n1, provisioner: mooring.dev/local,"
                                + " persistentVolume: pv, persistentVolumeUID: u1, claim: {namespace: team, name: data,"
                                + " uid: c1}, storageClassName: local, source: {local: {path: /mnt/disks/a}},"
                                + " volumeMode: Filesystem, capacity: 10Gi}}")
                        .get(0)
                        .path("spec"));
        assertThat(world.settle().did()).isEmpty();
    }

    @Test
    void offersItAgainWhenItIsScrubbed() {
        OneController world = world(RELEASED);
        world.did();
        operationBecomes(world, "Running");
        assertThat(world.did()).isEmpty();
        operationBecomes(world, "Succeeded");
        assertThat(world.did()).first().isEqualTo("VolumeOfferedAgain persistentvolumes/pv");
        ObjectNode volume = Worlds.tree(world.world(), "persistentvolumes/pv");
        assertThat(volume.path("spec").has("claimRef")).isFalse();
        assertThat(volume.path("spec").path("later").asText()).isEqualTo("kept");
        assertThat(volume.path("status").path("phase").asText()).isEqualTo("Available");
        assertThat(volume.path("metadata").path("annotations").toString())
                .isEqualTo("{\"mooring.dev/discovered-by\":\"n1\",\"theirs\":\"kept\"}");
        assertThat(world.keys()).doesNotContain(OPERATION).anyMatch(key -> key.startsWith("events/default/pv."));
        assertThat(world.settle().did()).isEmpty();
    }

    @Test
    void saysWhyItCannotBeWiped() {
        OneController world = world(RELEASED);
        operationBecomes(world, "Failed");
        world.did();
        operationBecomes(world, "Failed");
        assertThat(world.did()).as("the same words are told once").isEmpty();
        assertThat(world.keys()).anyMatch(key -> key.startsWith("events/default/pv."));
        assertThat(Worlds.tree(world.world(), "persistentvolumes/pv")
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
    void leavesEverythingElseAlone(String change) {
        String[] sides = change.split("\\|", -1);
        assertThat(RELEASED).contains(sides[0]);
        assertThat(world(RELEASED.replace(sides[0], sides[1])).did()).isEmpty();
    }

    @Test
    void doesNotBelieveAPhaseWhileTheClaimIsThere() {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: {name: data, namespace: team, uid: c1}}\n";
        assertThat(world(RELEASED + claim).did()).isEmpty();
        assertThat(world(RELEASED + claim.replace("c1", "c2")).did()).hasSize(1);
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
    void waitsUntilNobodyUsesIt(String user) {
        String[] parts = user.split("\\|", -1);
        OneController world = world(RELEASED + "---\n" + parts[1] + "\n");
        assertThat(world.did()).isEmpty();
        world.remove(parts[0]).settle();
        assertThat(world.did()).containsExactly("VolumeScrubRequested " + OPERATION);
    }

    @Test
    void anAttemptThatLeftNothingIsNoUse() {
        String attempt = "---\n{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: av},"
                + " spec: {persistentVolume: pv}, status: {state: Failed}}\n";
        assertThat(world(RELEASED + attempt).did()).hasSize(1);
        assertThat(world(RELEASED + attempt.replace("Volume: pv", "Volume: pv2").replace("Failed", "Mounted"))
                        .did())
                .hasSize(1);
    }

    @Test
    void anOperationThatIsNoLongerWantedGoesUnlessItIsBeingDone() {
        for (String state : List.of("Pending", "Failed", "Succeeded", "Running")) {
            OneController world = world(RELEASED);
            operationBecomes(world, "Running");
            world.put(RELEASED.replace("phase: Released", "phase: Bound")).settle();
            world.did();
            operationBecomes(world, state);
            assertThat(world.did())
                    .isEqualTo(state.equals("Running") ? List.of() : List.of("VolumeScrubDropped " + OPERATION));
        }
    }

    @Test
    void anOperationDoesNotOutliveItsVolume() {
        OneController world = world(RELEASED);
        operationBecomes(world, "Running");
        world.did();
        world.remove("persistentvolumes/pv").settle();
        assertThat(world.did()).isEmpty();
        operationBecomes(world, "Succeeded");
        assertThat(world.did()).containsExactly("VolumeScrubDropped " + OPERATION);
        OneController sooner = world(RELEASED);
        sooner.did();
        assertThat(sooner.remove("persistentvolumes/pv").settle().did())
                .containsExactly("VolumeScrubDropped " + OPERATION);
    }

    @Test
    void leavesOperationsOfOthersAlone() {
        String theirs = "---\n{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: wipe-u9},"
                + " spec: {operation: Scrub, node: n1, persistentVolume: nobody}, status: {state: Succeeded}}\n";
        assertThat(world(theirs).did()).isEmpty();
    }
}
