package dev.mooring.control.schedule;

import static dev.mooring.control.schedule.Cluster.DYNAMIC;
import static dev.mooring.control.schedule.Cluster.STATIC;
import static dev.mooring.control.schedule.Cluster.TEAM;
import static dev.mooring.control.schedule.Cluster.annotatedNode;
import static dev.mooring.control.schedule.Cluster.boundClaim;
import static dev.mooring.control.schedule.Cluster.claim;
import static dev.mooring.control.schedule.Cluster.node;
import static dev.mooring.control.schedule.Cluster.nodeOf;
import static dev.mooring.control.schedule.Cluster.pod;
import static dev.mooring.control.schedule.Cluster.selectedNodeOf;
import static dev.mooring.control.schedule.Cluster.storageClass;
import static dev.mooring.control.schedule.Cluster.told;
import static dev.mooring.control.schedule.Cluster.uses;
import static dev.mooring.control.schedule.Cluster.volume;
import static dev.mooring.control.schedule.Cluster.volumeOf;
import static dev.mooring.control.schedule.Cluster.wordsOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods and their volumes. */
class VolumeSchedulingTest {
    private static final String TWO_NODES = node("n1") + node("n2");

    private static OneController settled(String yaml) {
        return new OneController(new Scheduler(), TEAM + STATIC + DYNAMIC + yaml).settle();
    }

    private static String refusedOf(OneController one, String pod) {
        return wordsOf(one, pod).replaceFirst("^0/2 nodes are available: ", "");
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
    void refusesAPodWhoseClaimIsNotAsItShouldBe(String metadata, String refused) {
        String claim = "---\n{kind: PersistentVolumeClaim, metadata: " + metadata.replace("{", "{namespace: team, ")
                + ", spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}}\n";
        OneController one = settled(TWO_NODES + claim + pod("a", uses("data")));
        assertThat(refusedOf(one, "a")).isEqualTo(refused);
        one.put(volume("pv", "1Gi", ""))
                .put(boundClaim("data", "pv", "ReadWriteOnce"))
                .settle();
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
    }

    @Test
    void refusesAPodWhoseClaimIsLost() {
        String lost = boundClaim("data", "pv", "ReadWriteOnce").replace("phase: Bound", "phase: Lost");
        OneController one = settled(TWO_NODES + lost + pod("a", uses("data")));
        assertThat(refusedOf(one, "a"))
                .isEqualTo("persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv\".");
    }

    @Test
    void aClaimThatNamesItsVolumeDoesNotWaitForAConsumer() {
        String named = claim("data", "1Gi", "static").replace("accessModes:", "volumeName: pv, accessModes:");
        OneController one = settled(TWO_NODES + volume("pv", "1Gi", "") + named + pod("a", uses("data")));
        assertThat(refusedOf(one, "a")).isEqualTo("pod has unbound immediate PersistentVolumeClaims.");
    }

    @Test
    void waitsForTheClaimOfAnEphemeralVolumeAndTakesNoOthers() {
        OneController one =
                settled(TWO_NODES + volume("pv", "1Gi", "") + pod("a", "volumes: [{name: tmp, ephemeral: {}}]"));
        assertThat(refusedOf(one, "a"))
                .isEqualTo("waiting for ephemeral volume controller to create the persistentvolumeclaim \"a-tmp\".");
        one.put(boundClaim("a-tmp", "pv", "ReadWriteOnce")).settle();
        assertThat(refusedOf(one, "a")).isEqualTo("PVC team/a-tmp was not created for pod team/a (pod is not owner).");
        one.put(boundClaim("a-tmp", "pv", "ReadWriteOnce")
                        .replace("annotations:", "ownerReferences: [{controller: true, uid: uid-a}], annotations:"))
                .settle();
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
    }

    @Test
    void waitsForAVolumeThatIsNotThere() {
        OneController one = settled(TWO_NODES + boundClaim("data", "pv", "ReadWriteOnce") + pod("a", uses("data")));
        assertThat(refusedOf(one, "a"))
                .isEqualTo("2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).");
        one.put(volume("pv", "1Gi", "n2")).settle();
        assertThat(nodeOf(one, "a")).isEqualTo("n2");
    }

    @Test
    void saysWhenTheNodeOfAVolumeIsGone() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "old")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data")));
        assertThat(refusedOf(one, "a"))
                .isEqualTo("2 node(s) had volume node affinity conflict. The node of persistentvolume \"pv\" of"
                        + " persistentvolumeclaim \"data\" does not exist: old.");
        one.put(node("old")).settle();
        assertThat(nodeOf(one, "a")).isEqualTo("old");
    }

    @Test
    void bindsAVolumeThatIsThereAndThenGivesThePodItsNode() {
        OneController one = settled(
                TWO_NODES + volume("pv", "1Gi", "n2") + claim("data", "1Gi", "static") + pod("a", uses("data")));
        assertThat(one.did()).containsExactly("VolumeBound persistentvolumes/pv", "PodScheduled pods/team/a");
        assertThat(volumeOf(one, "data")).isEqualTo("pv");
        assertThat(nodeOf(one, "a")).isEqualTo("n2");
        assertThat(one.waiting()).isZero();
    }

    @Test
    void prefersTheNodeWhoseVolumesFitTightly() {
        OneController one = settled(TWO_NODES
                + node("n3")
                + volume("a-large", "9Gi", "n1")
                + volume("b-small", "1Gi", "n1")
                + volume("c-fit", "5Gi", "n2")
                + volume("d-fit", "2Gi", "n2")
                + volume("e-alone", "5Gi", "n3")
                + claim("large", "5Gi", "static")
                + claim("small", "1Gi", "static")
                + pod("a", uses("large", "small")));
        assertThat(nodeOf(one, "a")).isEqualTo("n2");
        assertThat(volumeOf(one, "large")).isEqualTo("c-fit");
        assertThat(volumeOf(one, "small")).isEqualTo("d-fit");
    }

    @Test
    void prefersAVolumeThatIsThereToOneThatMustBeMade() {
        OneController one = settled(TWO_NODES
                + volume("pv", "100Gi", "n2").replace("static", "dynamic")
                + claim("data", "1Gi", "dynamic")
                + pod("a", uses("data")));
        assertThat(volumeOf(one, "data")).isEqualTo("pv");
        assertThat(nodeOf(one, "a")).isEqualTo("n2");
    }

    @Test
    void aPodDoesNotTakeOneVolumeForTwoClaims() {
        OneController one = settled(TWO_NODES
                + volume("pv", "5Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "2Gi", "static")
                + pod("a", uses("one", "two")));
        assertThat(refusedOf(one, "a")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        assertThat(volumeOf(one, "one")).isEqualTo("-");
        one.put(volume("pv2", "1Gi", "n1")).settle();
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
        assertThat(volumeOf(one, "one")).isEqualTo("pv2");
        assertThat(volumeOf(one, "two")).isEqualTo("pv");
    }

    @Test
    void oneOfTwoPodsGetsTheOnlyVolumeAndTheOtherTheNext() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
        assertThat(refusedOf(one, "b")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        one.put(volume("pv2", "1Gi", "n2")).settle();
        assertThat(nodeOf(one, "b")).isEqualTo("n2");
    }

    @Test
    void selectsANodeForAVolumeThatMustBeMadeAndWaitsForIt() {
        OneController one = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        assertThat(one.did()).containsExactly("NodeSelected persistentvolumeclaims/team/data");
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n1");
        assertThat(wordsOf(one, "a")).isEqualTo("-");
        assertThat(one.waiting()).as("nothing is polled").isZero();
        one.put(volume("made", "1Gi", "n1"))
                .put(boundClaim("data", "made", "ReadWriteOnce"))
                .settle();
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
    }

    @Test
    void bindsWhatIsThereBeforeAnythingIsMade() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "n2")
                + claim("found", "1Gi", "static")
                + claim("made", "1Gi", "dynamic")
                + pod("a", uses("made", "found")));
        assertThat(one.did())
                .containsExactly("VolumeBound persistentvolumes/pv", "NodeSelected persistentvolumeclaims/team/made");
        assertThat(selectedNodeOf(one, "made")).isEqualTo("n2");
    }

    @Test
    void aNodeThatWasSelectedIsTheOnlyOne() {
        OneController one = settled(TWO_NODES
                + claim("data", "1Gi", "dynamic", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        assertThat(refusedOf(one, "b"))
                .isEqualTo("1 node(s) didn't find available persistent volumes to bind (persistentvolumeclaim \"data\""
                        + " gets its volume on node \"n1\"), 1 node(s) didn't match Pod's node affinity/selector.");
    }

    @Test
    void anotherNodeIsSelectedWhenTheFirstIsGone() {
        OneController one = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        one.remove("nodes/n1").settle();
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n2");
    }

    @Test
    void choosesAnotherNodeWhenMakingTheVolumeFailed() {
        OneController one = settled(TWO_NODES + claim("data", "1Gi", "dynamic") + pod("a", uses("data")));
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n1");
        one.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n2");
        one.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(selectedNodeOf(one, "data"))
                .as("both have failed: not at once")
                .isEqualTo("-");
        one.pass(Duration.ofMillis(999));
        assertThat(selectedNodeOf(one, "data")).isEqualTo("-");
        one.pass(Duration.ofMillis(1));
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n1");
        one.put(claim("data", "1Gi", "dynamic")).settle().pass(Duration.ofSeconds(1));
        assertThat(selectedNodeOf(one, "data")).as("n2 has failed less often").isEqualTo("n2");
    }

    @Test
    void makesVolumesOnlyWhereTheClassAllowsIt() {
        String picky = storageClass(
                "picky",
                "example.com/x",
                ", allowedTopologies: [{matchLabelExpressions: [{key: kubernetes.io/hostname, values: [n2]}]}]");
        OneController one = settled(TWO_NODES + picky + claim("data", "1Gi", "picky") + pod("a", uses("data")));
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n2");
        one = settled(node("n1") + node("n3") + picky + claim("data", "1Gi", "picky") + pod("a", uses("data")));
        assertThat(refusedOf(one, "a")).isEqualTo("2 node(s) didn't find available persistent volumes to bind.");
        one.put(storageClass("picky", "example.com/x", "")).settle();
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n1");
    }

    @Test
    void makesVolumesOnlyWhereThereIsRoomForThoseBeingMadeAsWell() {
        String nodes = annotatedNode("n1", "mooring.dev/free-bytes.hostpath: '10737418240'")
                + annotatedNode(
                        "n2", "mooring.dev/free-bytes.hostpath: '5368709120', mooring.dev/free-bytes.block: '1'");
        OneController one = settled(nodes
                + claim("c1", "6Gi", "dynamic")
                + claim("c2", "5Gi", "dynamic")
                + claim("c3", "4Gi", "dynamic")
                + claim("c4", "2Gi", "dynamic")
                + pod("a", uses("c1"))
                + pod("b", uses("c2"))
                + pod("c", uses("c3"))
                + pod("d", uses("c4")));
        assertThat(selectedNodeOf(one, "c1")).isEqualTo("n1");
        assertThat(selectedNodeOf(one, "c2")).isEqualTo("n2");
        assertThat(selectedNodeOf(one, "c3")).isEqualTo("n1");
        assertThat(refusedOf(one, "d"))
                .isEqualTo("2 node(s) did not have enough free storage (n1: 2Gi asked for, 0 left;"
                        + " n2: 2Gi asked for, 0 left).");
        one.put(annotatedNode("n2", "mooring.dev/free-bytes.hostpath: '7516192768'"))
                .settle();
        assertThat(selectedNodeOf(one, "c4")).isEqualTo("n2");
    }

    @Test
    void thereIsRoomAgainWhenAClaimThatWaitedIsGone() {
        OneController one = settled(annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + claim("c1", "4Gi", "dynamic")
                + claim("c2", "4Gi", "dynamic")
                + pod("a", uses("c1"))
                + pod("b", uses("c2")));
        assertThat(selectedNodeOf(one, "c2")).isEqualTo("-");
        one.remove("pods/team/a").settle();
        assertThat(selectedNodeOf(one, "c2")).isEqualTo("-");
        one.remove("persistentvolumeclaims/team/c1").settle();
        assertThat(selectedNodeOf(one, "c2")).isEqualTo("n1");
    }

    @Test
    void twoClaimsOfOnePodNeedRoomTogether() {
        OneController one = settled(annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + annotatedNode("n2", "mooring.dev/free-bytes.hostpath: 6Gi")
                + claim("c1", "3Gi", "dynamic")
                + claim("c2", "3Gi", "dynamic")
                + pod("a", uses("c1", "c2")));
        assertThat(selectedNodeOf(one, "c1")).isEqualTo("n2");
        assertThat(selectedNodeOf(one, "c2")).isEqualTo("n2");
    }

    @Test
    void aPodThatCameWithANodeIsAFirstConsumer() {
        String preset = "nodeName: n2, schedulerName: other, ";
        OneController one = settled(TWO_NODES.replace("n2}}, spec: {}", "n2}}, spec: {unschedulable: true}")
                + volume("pv", "1Gi", "n2")
                + claim("found", "1Gi", "static")
                + claim("made", "1Gi", "dynamic")
                + pod("a", preset + uses("found", "made")));
        assertThat(one.did())
                .containsExactly("VolumeBound persistentvolumes/pv", "NodeSelected persistentvolumeclaims/team/made");
        assertThat(selectedNodeOf(one, "made")).isEqualTo("n2");
        ObjectNode untouched = Worlds.tree(one.world(), "pods/team/a");
        assertThat(untouched.has("status")).isFalse();
        assertThat(told(one.world())).isEmpty();
    }

    @Test
    void aPodThatCameWithANodeSaysWhyItsClaimsCannotBeThere() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "n1")
                + claim("data", "1Gi", "static")
                + pod("a", "nodeName: n2, " + uses("data")));
        assertThat(told(one.world()))
                .containsExactly(
                        "a: Warning FailedScheduling the volumes of a pod that was given node \"n2\" cannot be there:"
                            + " 0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.");
        one.put(volume("pv2", "1Gi", "n2")).settle();
        assertThat(volumeOf(one, "data")).isEqualTo("pv2");
        assertThat(Worlds.tree(one.world(), "pods/team/a").has("status")).isFalse();
    }

    @Test
    void aPodThatCameWithANodeWaitsForThatNodeAndItsClaims() {
        OneController one = settled(node("n1") + pod("a", "nodeName: n2, " + uses("missing", "data")));
        assertThat(one.did()).isEmpty();
        one.put(claim("data", "1Gi", "dynamic")).settle();
        assertThat(told(one.world())).containsExactly("a: Warning FailedScheduling node \"n2\" not found");
        one.put(node("n2")).settle();
        assertThat(selectedNodeOf(one, "data")).isEqualTo("n2");
    }

    @Test
    void aPodThatCameWithANodeAndIsOverConsumesNothing() {
        OneController one = settled(TWO_NODES
                + claim("data", "1Gi", "dynamic")
                + "---\n{kind: Pod, metadata: {namespace: team, name: a}, spec: {nodeName: n1, " + uses("data")
                + "}, status: {phase: Succeeded}}\n");
        assertThat(one.did()).isEmpty();
    }

    @Test
    void onlyOnePodGetsAReadWriteOncePodClaim() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(nodeOf(one, "a")).isEqualTo("n1");
        assertThat(refusedOf(one, "b"))
                .isEqualTo(
                        "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already"
                                + " in-use by another pod (persistentvolumeclaim \"data\" is used by pod \"a\" on node"
                                + " \"n1\").");
        one.remove("pods/team/a").settle();
        assertThat(nodeOf(one, "b")).isEqualTo("n1");
    }

    @Test
    void podsOfAReadWriteOnceClaimGoWhereTheFirstIs() {
        OneController one = settled(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + boundClaim("shared", "pv", "ReadWriteOnce, ReadWriteMany")
                + pod("a", "nodeName: n2, " + uses("data", "shared"))
                + pod("b", uses("data"))
                + pod("c", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n1}")
                + pod("d", uses("shared")));
        assertThat(nodeOf(one, "b")).isEqualTo("n2");
        assertThat(nodeOf(one, "d")).as("it may be on many nodes").isEqualTo("n1");
        assertThat(refusedOf(one, "c"))
                .isEqualTo("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) unavailable due to"
                        + " PersistentVolumeClaim with ReadWriteOnce access mode already in-use on another node"
                        + " (persistentvolumeclaim \"data\" is used by pod \"a\" on node \"n2\").");
        one.remove("pods/team/b")
                .put("---\n{kind: Pod, metadata: {namespace: team, name: a}, spec: {nodeName: n2, " + uses("data")
                        + "}, status: {phase: Succeeded}}\n")
                .settle();
        assertThat(nodeOf(one, "c")).isEqualTo("n1");
    }
}
