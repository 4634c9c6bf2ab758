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
import static dev.mooring.control.schedule.Cluster.podKey;
import static dev.mooring.control.schedule.Cluster.uses;
import static dev.mooring.control.schedule.Cluster.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import org.junit.jupiter.api.Test;

/** Pods that are decided upon one World, before anything that was decided has happened. */
class SameInstantTest {
    private static final String TWO_NODES = TEAM + STATIC + DYNAMIC + node("n1") + node("n2");

    private static String volumeOf(Rehearsal rehearsal, String claim) {
        return Worlds.tree(rehearsal.world(), "persistentvolumeclaims/team/" + claim)
                .path("spec")
                .path("volumeName")
                .asText("-");
    }

    @Test
    void twoPodsChooseTwoVolumes() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv1", "1Gi", "n1")
                + volume("pv2", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(rehearsal.look("a")).isEqualTo(1);
        assertThat(rehearsal.look("b")).isEqualTo(1);
        rehearsal.settle();
        assertThat(rehearsal.conflicts()).isZero();
        assertThat(volumeOf(rehearsal, "one")).isEqualTo("pv1");
        assertThat(volumeOf(rehearsal, "two")).isEqualTo("pv2");
    }

    @Test
    void fiveHundredPodsDoNotGetInEachOthersWay() {
        StringBuilder yaml = new StringBuilder(TWO_NODES);
        for (int i = 100; i < 600; i++) {
            yaml.append(volume("pv" + i, "1Gi", i % 2 == 0 ? "n1" : "n2"));
            yaml.append(claim("c" + i, "1Gi", "static")).append(pod("p" + i, uses("c" + i)));
        }
        Rehearsal rehearsal = new Rehearsal(yaml.toString());
        while (!rehearsal.awake().isEmpty() || rehearsal.sent() > 0) {
            rehearsal.awake().stream().limit(64).forEach(rehearsal::look);
            while (rehearsal.sent() > 0) {
                rehearsal.commit();
            }
            while (!rehearsal.feeds().isEmpty()) {
                rehearsal.feeds().forEach(rehearsal::tell);
            }
        }
        rehearsal.settle();
        assertThat(rehearsal.conflicts()).isZero();
        for (int i = 100; i < 600; i++) {
            assertThat(nodeOf(rehearsal.world(), "p" + i)).isNotEqualTo("-");
        }
    }

    @Test
    void thePodThatWasLateSaysNothingBeforeItIsSure() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv1", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(rehearsal.look("a")).isEqualTo(1);
        assertThat(rehearsal.look("b")).isZero();
        rehearsal.remove(podKey("a"));
        rehearsal.settle();
        assertThat(volumeOf(rehearsal, "one")).as("its Pod went before").isEqualTo("-");
        assertThat(volumeOf(rehearsal, "two")).isEqualTo("pv1");
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("n1");
    }

    @Test
    void aClaimThatTwoPodsWaitForIsServedOnce() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + claim("data", "1Gi", "dynamic", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        assertThat(rehearsal.look("a")).isEqualTo(1);
        assertThat(rehearsal.look("b")).isZero();
        rehearsal.settle();
        assertThat(rehearsal.conflicts()).isZero();
    }

    @Test
    void twoPodsDoNotFillANodeTwice() {
        String half = "containers: [{resources: {requests: {cpu: 600m}}}]";
        Rehearsal rehearsal = new Rehearsal(TEAM
                + node("n1", "", "allocatable: {cpu: 1}")
                + node("n2", "", "allocatable: {cpu: 1}")
                + pod("a", half)
                + pod("b", half)
                + pod("c", half));
        rehearsal.look("a");
        rehearsal.look("b");
        assertThat(rehearsal.look("c")).as("one of them may fail").isZero();
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("n2");
        assertThat(nodeOf(rehearsal.world(), "c")).isEqualTo("-");
    }

    @Test
    void twoClaimsAreNotPromisedTheSameRoom() {
        Rehearsal rehearsal = new Rehearsal(TEAM
                + DYNAMIC
                + annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + annotatedNode("n2", "mooring.dev/free-bytes.hostpath: 5Gi")
                + claim("one", "4Gi", "dynamic")
                + claim("two", "4Gi", "dynamic")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        rehearsal.look("a");
        rehearsal.look("b");
        rehearsal.settle();
        assertThat(Worlds.tree(rehearsal.world(), "persistentvolumeclaims/team/two")
                        .at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                        .asText())
                .isEqualTo("n2");
    }

    @Test
    void oneOfTwoPodsGetsAReadWriteOncePodClaim() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(rehearsal.look("a")).isEqualTo(1);
        assertThat(rehearsal.look("b")).isZero();
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("-");
    }

    @Test
    void evenASchedulerThatDoesNotKnowWhatIsOnItsWayGivesItToOneOnly() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(rehearsal.look("a")).isEqualTo(1);
        rehearsal.restart();
        assertThat(rehearsal.look("b")).isEqualTo(1);
        assertThat(rehearsal.commit()).isTrue();
        assertThat(rehearsal.commit()).as("a has got its node in between").isFalse();
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("-");
    }

    @Test
    void podsOfAReadWriteOnceClaimFollowTheOneThatIsOnItsWay() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data"))
                + pod("b", uses("data"))
                + pod("c", uses("data")));
        rehearsal.look("a");
        rehearsal.look("b");
        rehearsal.look("c");
        rehearsal.settle();
        assertThat(rehearsal.conflicts()).isZero();
        for (ObjectKey each : new ObjectKey[] {podKey("a"), podKey("b"), podKey("c")}) {
            assertThat(nodeOf(rehearsal.world(), each.name())).isEqualTo("n1");
        }
    }

    @Test
    void podsOfAReadWriteOnceClaimStayTogetherAcrossARestart() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        rehearsal.look("a");
        rehearsal.restart();
        assertThat(rehearsal.look("b")).isEqualTo(1);
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("-");
    }

    @Test
    void aNodeThatIsCordonedOrAClaimThatIsDeletedMeanwhileIsNotUsed() {
        Rehearsal rehearsal = new Rehearsal(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", ""));
        rehearsal.look("b");
        rehearsal.put(node("n1", "unschedulable: true", ""));
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "b")).isEqualTo("n2");
        rehearsal.put(pod("a", uses("data")));
        rehearsal.look("a");
        rehearsal.put(boundClaim("data", "pv", "ReadWriteMany")
                .replace("name: data,", "name: data, deletionTimestamp: '2026-01-01T00:00:00Z',"));
        rehearsal.settle();
        assertThat(nodeOf(rehearsal.world(), "a")).isEqualTo("-");
    }

    @Test
    void endsTheSameWhereverItIsKilled() {
        String yaml = TWO_NODES
                + volume("pv1", "1Gi", "n2")
                + volume("pv2", "2Gi", "n2")
                + claim("one", "1Gi", "static")
                + claim("two", "2Gi", "static")
                + pod("a", uses("one", "two"))
                + pod("b", uses("two"));
        for (int kill = 0; kill < 8; kill++) {
            Rehearsal rehearsal = new Rehearsal(yaml);
            for (int i = 0; i < kill; i++) {
                while (rehearsal.sent() == 0 && !rehearsal.awake().isEmpty()) {
                    rehearsal.look(rehearsal.awake().get(0));
                }
                if (rehearsal.sent() > 0) {
                    rehearsal.commit();
                }
                rehearsal.feeds().forEach(rehearsal::tell);
            }
            rehearsal.restart();
            rehearsal.settle();
            assertThat(nodeOf(rehearsal.world(), "a"))
                    .as("killed after %d", kill)
                    .isEqualTo("n2");
            assertThat(nodeOf(rehearsal.world(), "b"))
                    .as("killed after %d", kill)
                    .isEqualTo("n2");
            assertThat(volumeOf(rehearsal, "one")).as("killed after %d", kill).isEqualTo("pv1");
            assertThat(volumeOf(rehearsal, "two")).as("killed after %d", kill).isEqualTo("pv2");
        }
    }
}
