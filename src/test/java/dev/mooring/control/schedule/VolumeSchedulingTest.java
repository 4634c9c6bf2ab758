package dev.mooring.control.schedule;

import static dev.mooring.control.schedule.SchedulerObjects.DYNAMIC;
import static dev.mooring.control.schedule.SchedulerObjects.STATIC;
import static dev.mooring.control.schedule.SchedulerObjects.TEAM;
import static dev.mooring.control.schedule.SchedulerObjects.annotatedNode;
import static dev.mooring.control.schedule.SchedulerObjects.boundClaim;
import static dev.mooring.control.schedule.SchedulerObjects.claim;
import static dev.mooring.control.schedule.SchedulerObjects.events;
import static dev.mooring.control.schedule.SchedulerObjects.messageOf;
import static dev.mooring.control.schedule.SchedulerObjects.node;
import static dev.mooring.control.schedule.SchedulerObjects.nodeOf;
import static dev.mooring.control.schedule.SchedulerObjects.pod;
import static dev.mooring.control.schedule.SchedulerObjects.selectedNodeOf;
import static dev.mooring.control.schedule.SchedulerObjects.storageClass;
import static dev.mooring.control.schedule.SchedulerObjects.uses;
import static dev.mooring.control.schedule.SchedulerObjects.volume;
import static dev.mooring.control.schedule.SchedulerObjects.volumeOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scheduling of Pods by their volumes. */
class VolumeSchedulingTest {
    private static final String TWO_NODES = node("n1") + node("n2");

    private static ControllerFixture settled(String yaml) {
        return new ControllerFixture(new PodScheduler(), TEAM + STATIC + DYNAMIC + yaml).settle();
    }

    private static String refusedOf(ControllerFixture run, String pod) {
        return messageOf(run, pod).replaceFirst("^0/2 nodes are available: ", "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{name: other} | persistentvolumeclaim \"data\" not found.",
                "{name: data, deletionTimestamp: '2026-01-01T00:00:00Z'} | persistentvolumeclaim \"data\" is being"
                        + " deleted.",
                "{name: data} | pod has unbound immediate PersistentVolumeClaims.",
            })
    void pod_claimMissingTerminatingOrUnbound_isUnschedulable(String metadata, String refused) {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: " + metadata.replace("{", "{namespace: team, ")
                + ", spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}}\n";
        ControllerFixture run = settled(TWO_NODES + claim + pod("a", uses("data")));
        assertThat(refusedOf(run, "a")).isEqualTo(refused);
        run.put(volume("pv", "1Gi", ""))
                .put(boundClaim("data", "pv", "ReadWriteOnce"))
                .settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{phase: Pending}",
                "{phase: Pending, conditions: [{type: Bound, status: 'False', reason: Provisioning}]}"
            })
    void newPod_claimBeingBound_isReportedOnlyAfterADelay(String status) {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: {name: data, namespace: team}, spec:"
                + " {storageClassName: fast, accessModes: [ReadWriteOnce]}, status: " + status + "}\n";
        String newPod = pod("a", uses("data")).replace("name: a", "name: a, creationTimestamp: '2026-01-01T00:00:00Z'");
        ControllerFixture run = settled(TWO_NODES + claim + newPod);
        assertThat(run.takeEvents()).isEmpty();

        run.advance(Duration.ofMillis(4_999));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofMillis(1));
        assertThat(refusedOf(run, "a")).isEqualTo("pod has unbound immediate PersistentVolumeClaims.");
    }

    @Test
    void newPod_claimCreatedRightAfterIt_getsNoWarning() {
        String newPod = pod("a", uses("data")).replace("name: a", "name: a, creationTimestamp: '2026-01-01T00:00:00Z'");
        ControllerFixture run = settled(TWO_NODES + newPod);
        assertThat(run.takeEvents()).isEmpty();

        run.advance(Duration.ofSeconds(1));
        run.put(volume("pv", "1Gi", ""))
                .put(boundClaim("data", "pv", "ReadWriteOnce"))
                .settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
        assertThat(events(run.world())).noneMatch(event -> event.contains("FailedScheduling"));
    }

    @Test
    void pod_creationTimeInTheFuture_isReportedAtOnce() {
        String future = pod("a", uses("data")).replace("name: a", "name: a, creationTimestamp: '2026-01-01T01:00:00Z'");
        assertThat(refusedOf(settled(TWO_NODES + future), "a")).isEqualTo("persistentvolumeclaim \"data\" not found.");
    }

    @Test
    void newPod_provisioningOfClaimFailed_isReportedAtOnce() {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: {name: data, namespace: team}, spec:"
                + " {storageClassName: fast, accessModes: [ReadWriteOnce]}, status: {phase: Pending, conditions:"
                + " [{type: Bound, status: 'False', reason: ProvisioningFailed}]}}\n";
        String newPod = pod("a", uses("data")).replace("name: a", "name: a, creationTimestamp: '2026-01-01T00:00:00Z'");
        ControllerFixture run = settled(TWO_NODES + claim + newPod);
        assertThat(refusedOf(run, "a")).isEqualTo("pod has unbound immediate PersistentVolumeClaims.");
    }

    @Test
    void pod_claimLost_isUnschedulable() {
        String lost = boundClaim("data", "pv", "ReadWriteOnce").replace("phase: Bound", "phase: Lost");
        ControllerFixture run = settled(TWO_NODES + lost + pod("a", uses("data")));
        assertThat(refusedOf(run, "a"))
                .isEqualTo("persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv\".");
    }

    @Test
    void pod_unboundClaimWithVolumeName_isUnschedulable() {
        String named = claim("data", "1Gi", "static").replace("accessModes:", "volumeName: pv, accessModes:");
        ControllerFixture run = settled(TWO_NODES + volume("pv", "1Gi", "") + named + pod("a", uses("data")));
        assertThat(refusedOf(run, "a")).isEqualTo("pod has unbound immediate PersistentVolumeClaims.");
    }

    @Test
    void pod_ephemeralVolume_waitsForClaimThatItOwns() {
        ControllerFixture run =
                settled(TWO_NODES + volume("pv", "1Gi", "") + pod("a", "volumes: [{name: tmp, ephemeral: {}}]"));
        assertThat(refusedOf(run, "a"))
                .isEqualTo("waiting for ephemeral volume controller to create the persistentvolumeclaim \"a-tmp\".");
        run.put(boundClaim("a-tmp", "pv", "ReadWriteOnce")).settle();
        assertThat(refusedOf(run, "a")).isEqualTo("PVC team/a-tmp was not created for pod team/a (pod is not owner).");
        run.put(boundClaim("a-tmp", "pv", "ReadWriteOnce")
                        .replace("annotations:", "ownerReferences: [{controller: true, uid: uid-a}], annotations:"))
                .settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
    }

    @Test
    void pod_boundVolumeMissing_isScheduledWhenItAppears() {
        ControllerFixture run = settled(TWO_NODES + boundClaim("data", "pv", "ReadWriteOnce") + pod("a", uses("data")));
        assertThat(refusedOf(run, "a"))
                .isEqualTo("2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).");
        run.put(volume("pv", "1Gi", "n2")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
    }

    @Test
    void pod_nodeOfVolumeMissing_isReported() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "old")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data")));
        assertThat(refusedOf(run, "a"))
                .isEqualTo("2 node(s) had volume node affinity conflict. The node of persistentvolume \"pv\" of"
                        + " persistentvolumeclaim \"data\" does not exist: old.");
        run.put(node("old")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("old");
    }

    @Test
    void pod_availableVolume_isBoundBeforeScheduling() {
        ControllerFixture run = settled(
                TWO_NODES + volume("pv", "1Gi", "n2") + claim("data", "1Gi", "static") + pod("a", uses("data")));
        assertThat(run.takeEvents()).containsExactly("VolumeBound persistentvolumes/pv", "PodScheduled pods/team/a");
        assertThat(volumeOf(run, "data")).isEqualTo("pv");
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void pod_severalNodesWithVolumes_getsTheTightestFit() {
        ControllerFixture run = settled(TWO_NODES
                + node("n3")
                + volume("a-large", "9Gi", "n1")
                + volume("b-small", "1Gi", "n1")
                + volume("c-fit", "5Gi", "n2")
                + volume("d-fit", "2Gi", "n2")
                + volume("e-alone", "5Gi", "n3")
                + claim("large", "5Gi", "static")
                + claim("small", "1Gi", "static")
                + pod("a", uses("large", "small")));
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
        assertThat(volumeOf(run, "large")).isEqualTo("c-fit");
        assertThat(volumeOf(run, "small")).isEqualTo("d-fit");
    }

    @Test
    void pod_availableVolume_isPreferredToProvisioning() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "100Gi", "n2").replace("static", "dynamic")
                + claim("data", "1Gi", "dynamic")
                + pod("a", uses("data")));
        assertThat(volumeOf(run, "data")).isEqualTo("pv");
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
    }

    @Test
    void pod_twoClaimsAndOneVolume_waitsForASecondVolume() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "5Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "2Gi", "static")
                + pod("a", uses("one", "two")));
        assertThat(refusedOf(run, "a")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        assertThat(volumeOf(run, "one")).isEqualTo("-");
        run.put(volume("pv2", "1Gi", "n1")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
        assertThat(volumeOf(run, "one")).isEqualTo("pv2");
        assertThat(volumeOf(run, "two")).isEqualTo("pv");
    }

    @Test
    void pods_twoForOneVolume_oneIsScheduledAndTheOtherWaits() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
        assertThat(refusedOf(run, "b")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        run.put(volume("pv2", "1Gi", "n2")).settle();
        assertThat(nodeOf(run, "b")).isEqualTo("n2");
    }

    @Test
    void pod_claimToProvision_selectsNodeAndWaits() {
        ControllerFixture run = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        assertThat(run.takeEvents()).containsExactly("NodeSelected persistentvolumeclaims/team/data");
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n1");
        assertThat(messageOf(run, "a")).isEqualTo("-");
        assertThat(run.waiting()).as("queued keys").isZero();
        run.put(volume("made", "1Gi", "n1"))
                .put(boundClaim("data", "made", "ReadWriteOnce"))
                .settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
    }

    @Test
    void pod_staticAndDynamicClaims_bindsStaticOneFirst() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "n2")
                + claim("found", "1Gi", "static")
                + claim("made", "1Gi", "dynamic")
                + pod("a", uses("made", "found")));
        assertThat(run.takeEvents())
                .containsExactly("VolumeBound persistentvolumes/pv", "NodeSelected persistentvolumeclaims/team/made");
        assertThat(selectedNodeOf(run, "made")).isEqualTo("n2");
    }

    @Test
    void pod_claimWithSelectedNode_fitsOnlyThatNode() {
        ControllerFixture run = settled(TWO_NODES
                + claim("data", "1Gi", "dynamic", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        assertThat(refusedOf(run, "b"))
                .isEqualTo("1 node(s) didn't find available persistent volumes to bind (persistentvolumeclaim \"data\""
                        + " is provisioned on node \"n1\"), 1 node(s) didn't match Pod's node affinity/selector.");
    }

    @Test
    void claim_selectedNodeRemoved_getsAnotherNode() {
        ControllerFixture run = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        run.remove("nodes/n1").settle();
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n2");
    }

    @Test
    void claim_provisioningFailed_getsAnotherNodeWithBackoff() {
        ControllerFixture run = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n1");
        run.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n2");
        run.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(selectedNodeOf(run, "data"))
                .as("selected node right after both nodes failed")
                .isEqualTo("-");
        run.advance(Duration.ofMillis(999));
        assertThat(selectedNodeOf(run, "data")).isEqualTo("-");
        run.advance(Duration.ofMillis(1));
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n1");
        run.put(claim("data", "1Gi", "dynamic")).settle().advance(Duration.ofSeconds(1));
        assertThat(selectedNodeOf(run, "data")).as("node with fewer failures").isEqualTo("n2");
    }

    @Test
    void claim_allowedTopologies_restrictSelectedNode() {
        String limited = storageClass(
                "picky",
                "example.com/x",
                ", allowedTopologies: [{matchLabelExpressions: [{key: kubernetes.io/hostname, values: [n2]}]}]");
        ControllerFixture run = settled(TWO_NODES + limited + claim("data", "1Gi", "picky") + pod("a", uses("data")));
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n2");
        run = settled(node("n1") + node("n3") + limited + claim("data", "1Gi", "picky") + pod("a", uses("data")));
        assertThat(refusedOf(run, "a")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        run.put(storageClass("picky", "example.com/x", "")).settle();
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n1");
    }

    @Test
    void claims_freeStorage_countsVolumesBeingProvisioned() {
        String nodes = annotatedNode("n1", "mooring.dev/free-bytes.hostpath: '10737418240'")
                + annotatedNode(
                        "n2", "mooring.dev/free-bytes.hostpath: '5368709120', mooring.dev/free-bytes.block: '1'");
        ControllerFixture run = settled(nodes
                + claim("c1", "6Gi", "dynamic")
                + claim("c2", "5Gi", "dynamic")
                + claim("c3", "4Gi", "dynamic")
                + claim("c4", "2Gi", "dynamic")
                + pod("a", uses("c1"))
                + pod("b", uses("c2"))
                + pod("c", uses("c3"))
                + pod("d", uses("c4")));
        assertThat(selectedNodeOf(run, "c1")).isEqualTo("n1");
        assertThat(selectedNodeOf(run, "c2")).isEqualTo("n2");
        assertThat(selectedNodeOf(run, "c3")).isEqualTo("n1");
        assertThat(refusedOf(run, "d"))
                .isEqualTo("2 node(s) did not have enough free storage (n1: 2Gi requested, 0 free;"
                        + " n2: 2Gi requested, 0 free).");
        run.put(annotatedNode("n2", "mooring.dev/free-bytes.hostpath: '7516192768'"))
                .settle();
        assertThat(selectedNodeOf(run, "c4")).isEqualTo("n2");
    }

    @Test
    void claims_pendingClaimRemoved_freesItsStorage() {
        ControllerFixture run = settled(annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + claim("c1", "4Gi", "dynamic")
                + claim("c2", "4Gi", "dynamic")
                + pod("a", uses("c1"))
                + pod("b", uses("c2")));
        assertThat(selectedNodeOf(run, "c2")).isEqualTo("-");
        run.remove("pods/team/a").settle();
        assertThat(selectedNodeOf(run, "c2")).isEqualTo("-");
        run.remove("persistentvolumeclaims/team/c1").settle();
        assertThat(selectedNodeOf(run, "c2")).isEqualTo("n1");
    }

    @Test
    void claims_ofOnePod_needFreeStorageTogether() {
        ControllerFixture run = settled(annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + annotatedNode("n2", "mooring.dev/free-bytes.hostpath: 6Gi")
                + claim("c1", "3Gi", "dynamic")
                + claim("c2", "3Gi", "dynamic")
                + pod("a", uses("c1", "c2")));
        assertThat(selectedNodeOf(run, "c1")).isEqualTo("n2");
        assertThat(selectedNodeOf(run, "c2")).isEqualTo("n2");
    }

    @Test
    void podWithNodeName_unboundClaims_areBoundOrGetThatNode() {
        String preset = "nodeName: n2, schedulerName: other, ";
        ControllerFixture run = settled(TWO_NODES.replace("n2}}, spec: {}", "n2}}, spec: {unschedulable: true}")
                + volume("pv", "1Gi", "n2")
                + claim("found", "1Gi", "static")
                + claim("made", "1Gi", "dynamic")
                + pod("a", preset + uses("found", "made")));
        assertThat(run.takeEvents())
                .containsExactly("VolumeBound persistentvolumes/pv", "NodeSelected persistentvolumeclaims/team/made");
        assertThat(selectedNodeOf(run, "made")).isEqualTo("n2");
        ObjectNode unchanged = WorldFixture.tree(run.world(), "pods/team/a");
        assertThat(unchanged.has("status")).isFalse();
        assertThat(events(run.world())).isEmpty();
    }

    @Test
    void podWithNodeName_claimsCannotBeBoundThere_isReported() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "n1")
                + claim("data", "1Gi", "static")
                + pod("a", "nodeName: n2, " + uses("data")));
        assertThat(events(run.world()))
                .containsExactly(
                        "a: Warning FailedScheduling volumes of a pod with spec.nodeName \"n2\" are not available"
                                + " there: 0/1 nodes are available: 1 node(s) didn't find available persistent volumes"
                                + " to bind.");
        run.put(volume("pv2", "1Gi", "n2")).settle();
        assertThat(volumeOf(run, "data")).isEqualTo("pv2");
        assertThat(WorldFixture.tree(run.world(), "pods/team/a").has("status")).isFalse();
    }

    @Test
    void podWithNodeName_nodeOrClaimMissing_waits() {
        ControllerFixture run = settled(node("n1") + pod("a", "nodeName: n2, " + uses("missing", "data")));
        assertThat(run.takeEvents()).isEmpty();
        run.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(events(run.world())).containsExactly("a: Warning FailedScheduling node \"n2\" not found");
        run.put(node("n2")).settle();
        assertThat(selectedNodeOf(run, "data")).isEqualTo("n2");
    }

    @Test
    void podWithNodeName_finished_isIgnored() {
        ControllerFixture run = settled(TWO_NODES
                + claim("data", "1Gi", "dynamic")
                + "---\n{kind: Pod, metadata: {namespace: team, name: a}, spec: {nodeName: n1, " + uses("data")
                + "}, status: {phase: Succeeded}}\n");
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void readWriteOncePodClaim_twoPods_secondIsUnschedulable() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
        assertThat(refusedOf(run, "b"))
                .isEqualTo(
                        "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already"
                                + " in-use by another pod (persistentvolumeclaim \"data\" is used by pod \"a\" on node"
                                + " \"n1\").");
        run.remove("pods/team/a").settle();
        assertThat(nodeOf(run, "b")).isEqualTo("n1");
    }

    @Test
    void readWriteOnceClaim_furtherPods_areScheduledToNodeOfTheFirst() {
        ControllerFixture run = settled(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + boundClaim("shared", "pv", "ReadWriteOnce, ReadWriteMany")
                + pod("a", "nodeName: n2, " + uses("data", "shared"))
                + pod("b", uses("data"))
                + pod("c", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n1}")
                + pod("d", uses("shared")));
        assertThat(nodeOf(run, "b")).isEqualTo("n2");
        assertThat(nodeOf(run, "d")).as("Pod of a shared claim").isEqualTo("n1");
        assertThat(refusedOf(run, "c"))
                .isEqualTo("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) unavailable due to"
                        + " PersistentVolumeClaim with ReadWriteOnce access mode already in-use on another node"
                        + " (persistentvolumeclaim \"data\" is used by pod \"a\" on node \"n2\").");
        run.remove("pods/team/b")
                .put("---\n{kind: Pod, metadata: {namespace: team, name: a}, spec: {nodeName: n2, " + uses("data")
                        + "}, status: {phase: Succeeded}}\n")
                .settle();
        assertThat(nodeOf(run, "c")).isEqualTo("n1");
    }
}
