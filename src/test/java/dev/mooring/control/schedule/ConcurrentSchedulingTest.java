package dev.mooring.control.schedule;

import static dev.mooring.control.schedule.SchedulerObjects.DYNAMIC;
import static dev.mooring.control.schedule.SchedulerObjects.STATIC;
import static dev.mooring.control.schedule.SchedulerObjects.TEAM;
import static dev.mooring.control.schedule.SchedulerObjects.annotatedNode;
import static dev.mooring.control.schedule.SchedulerObjects.boundClaim;
import static dev.mooring.control.schedule.SchedulerObjects.claim;
import static dev.mooring.control.schedule.SchedulerObjects.node;
import static dev.mooring.control.schedule.SchedulerObjects.nodeOf;
import static dev.mooring.control.schedule.SchedulerObjects.pod;
import static dev.mooring.control.schedule.SchedulerObjects.podKey;
import static dev.mooring.control.schedule.SchedulerObjects.uses;
import static dev.mooring.control.schedule.SchedulerObjects.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import org.junit.jupiter.api.Test;

/** Pods that are scheduled on one World before any earlier decision is committed. */
class ConcurrentSchedulingTest {
    private static final String TWO_NODES = TEAM + STATIC + DYNAMIC + node("n1") + node("n2");

    private static String volumeOf(SchedulerFixture fixture, String claim) {
        return WorldFixture.tree(fixture.world(), "persistentvolumeclaims/team/" + claim)
                .path("spec")
                .path("volumeName")
                .asText("-");
    }

    @Test
    void pods_scheduledConcurrently_getDifferentVolumes() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv1", "1Gi", "n1")
                + volume("pv2", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(fixture.reconcile("a")).isEqualTo(1);
        assertThat(fixture.reconcile("b")).isEqualTo(1);
        fixture.settle();
        assertThat(fixture.conflicts()).isZero();
        assertThat(volumeOf(fixture, "one")).isEqualTo("pv1");
        assertThat(volumeOf(fixture, "two")).isEqualTo("pv2");
    }

    @Test
    void pods_fiveHundredConcurrently_causeNoConflicts() {
        StringBuilder yaml = new StringBuilder(TWO_NODES);
        for (int i = 100; i < 600; i++) {
            yaml.append(volume("pv" + i, "1Gi", i % 2 == 0 ? "n1" : "n2"));
            yaml.append(claim("c" + i, "1Gi", "static")).append(pod("p" + i, uses("c" + i)));
        }
        SchedulerFixture fixture = new SchedulerFixture(yaml.toString());
        while (!fixture.enqueued().isEmpty() || fixture.sent() > 0) {
            fixture.enqueued().stream().limit(64).forEach(fixture::reconcile);
            while (fixture.sent() > 0) {
                fixture.commit();
            }
            while (!fixture.feeds().isEmpty()) {
                fixture.feeds().forEach(fixture::deliverChange);
            }
        }
        fixture.settle();
        assertThat(fixture.conflicts()).isZero();
        for (int i = 100; i < 600; i++) {
            assertThat(nodeOf(fixture.world(), "p" + i)).isNotEqualTo("-");
        }
    }

    @Test
    void pod_onlyVolumeAssumedByAnotherPod_waitsWithoutReporting() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv1", "1Gi", "n1")
                + claim("one", "1Gi", "static")
                + claim("two", "1Gi", "static")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        assertThat(fixture.reconcile("a")).isEqualTo(1);
        assertThat(fixture.reconcile("b")).isZero();
        fixture.remove(podKey("a"));
        fixture.settle();
        assertThat(volumeOf(fixture, "one"))
                .as("volume of the removed Pod's claim")
                .isEqualTo("-");
        assertThat(volumeOf(fixture, "two")).isEqualTo("pv1");
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("n1");
    }

    @Test
    void claim_sharedByTwoPods_getsOneDecision() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + claim("data", "1Gi", "dynamic", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        assertThat(fixture.reconcile("a")).isEqualTo(1);
        assertThat(fixture.reconcile("b")).isZero();
        fixture.settle();
        assertThat(fixture.conflicts()).isZero();
    }

    @Test
    void pods_requestsExceedFreeCpu_areNotPlacedTogether() {
        String half = "containers: [{resources: {requests: {cpu: 600m}}}]";
        SchedulerFixture fixture = new SchedulerFixture(TEAM
                + node("n1", "", "allocatable: {cpu: 1}")
                + node("n2", "", "allocatable: {cpu: 1}")
                + pod("a", half)
                + pod("b", half)
                + pod("c", half));
        fixture.reconcile("a");
        fixture.reconcile("b");
        assertThat(fixture.reconcile("c"))
                .as("proposals while earlier ones may still fail")
                .isZero();
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("n2");
        assertThat(nodeOf(fixture.world(), "c")).isEqualTo("-");
    }

    @Test
    void claims_provisionedConcurrently_doNotShareFreeStorage() {
        SchedulerFixture fixture = new SchedulerFixture(TEAM
                + DYNAMIC
                + annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + annotatedNode("n2", "mooring.dev/free-bytes.hostpath: 5Gi")
                + claim("one", "4Gi", "dynamic")
                + claim("two", "4Gi", "dynamic")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        fixture.reconcile("a");
        fixture.reconcile("b");
        fixture.settle();
        assertThat(WorldFixture.tree(fixture.world(), "persistentvolumeclaims/team/two")
                        .at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                        .asText())
                .isEqualTo("n2");
    }

    @Test
    void claim_committedButNotYetDelivered_usesFreeStorageOnce() {
        SchedulerFixture fixture = new SchedulerFixture(TEAM
                + DYNAMIC
                + annotatedNode("n1", "mooring.dev/free-bytes.hostpath: 5Gi")
                + claim("one", "2Gi", "dynamic")
                + claim("two", "3Gi", "dynamic")
                + pod("a", uses("one"))
                + pod("b", uses("two")));
        fixture.reconcile("a");
        fixture.commit();
        fixture.reconcile("b");
        fixture.commit();
        assertThat(WorldFixture.tree(fixture.world(), "persistentvolumeclaims/team/two")
                        .at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                        .asText())
                .isEqualTo("n1");
    }

    @Test
    void readWriteOncePodClaim_twoPodsConcurrently_isUsedByOne() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(fixture.reconcile("a")).isEqualTo(1);
        assertThat(fixture.reconcile("b")).isZero();
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("-");
    }

    @Test
    void readWriteOncePodClaim_schedulerRestarted_isUsedByOne() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOncePod")
                + pod("a", uses("data"))
                + pod("b", uses("data")));
        assertThat(fixture.reconcile("a")).isEqualTo(1);
        fixture.restart();
        assertThat(fixture.reconcile("b")).isEqualTo(1);
        assertThat(fixture.commit()).isTrue();
        assertThat(fixture.commit()).as("commit after Pod a was scheduled").isFalse();
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("-");
    }

    @Test
    void readWriteOnceClaim_podsConcurrently_areOnOneNode() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data"))
                + pod("b", uses("data"))
                + pod("c", uses("data")));
        fixture.reconcile("a");
        fixture.reconcile("b");
        fixture.reconcile("c");
        fixture.settle();
        assertThat(fixture.conflicts()).isZero();
        for (ObjectKey each : new ObjectKey[] {podKey("a"), podKey("b"), podKey("c")}) {
            assertThat(nodeOf(fixture.world(), each.name())).isEqualTo("n1");
        }
    }

    @Test
    void readWriteOnceClaim_schedulerRestarted_podsAreOnOneNode() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteOnce")
                + pod("a", uses("data"))
                + pod("b", uses("data") + ", nodeSelector: {kubernetes.io/hostname: n2}"));
        fixture.reconcile("a");
        fixture.restart();
        assertThat(fixture.reconcile("b")).isEqualTo(1);
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "a")).isEqualTo("n1");
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("-");
    }

    @Test
    void pod_nodeCordonedOrClaimDeletedBeforeCommit_isNotScheduledThere() {
        SchedulerFixture fixture = new SchedulerFixture(TWO_NODES
                + volume("pv", "1Gi", "")
                + boundClaim("data", "pv", "ReadWriteMany")
                + pod("a", uses("data"))
                + pod("b", ""));
        fixture.reconcile("b");
        fixture.put(node("n1", "unschedulable: true", ""));
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "b")).isEqualTo("n2");
        fixture.put(pod("a", uses("data")));
        fixture.reconcile("a");
        fixture.put(boundClaim("data", "pv", "ReadWriteMany")
                .replace("name: data,", "name: data, deletionTimestamp: '2026-01-01T00:00:00Z',"));
        fixture.settle();
        assertThat(nodeOf(fixture.world(), "a")).isEqualTo("-");
    }

    @Test
    void scheduler_killedAfterAnyStep_reachesTheSameState() {
        String yaml = TWO_NODES
                + volume("pv1", "1Gi", "n2")
                + volume("pv2", "2Gi", "n2")
                + claim("one", "1Gi", "static")
                + claim("two", "2Gi", "static")
                + pod("a", uses("one", "two"))
                + pod("b", uses("two"));
        for (int steps = 0; steps < 8; steps++) {
            SchedulerFixture fixture = new SchedulerFixture(yaml);
            for (int i = 0; i < steps; i++) {
                while (fixture.sent() == 0 && !fixture.enqueued().isEmpty()) {
                    fixture.reconcile(fixture.enqueued().get(0));
                }
                if (fixture.sent() > 0) {
                    fixture.commit();
                }
                fixture.feeds().forEach(fixture::deliverChange);
            }
            fixture.restart();
            fixture.settle();
            assertThat(nodeOf(fixture.world(), "a"))
                    .as("killed after %d steps", steps)
                    .isEqualTo("n2");
            assertThat(nodeOf(fixture.world(), "b"))
                    .as("killed after %d steps", steps)
                    .isEqualTo("n2");
            assertThat(volumeOf(fixture, "one"))
                    .as("killed after %d steps", steps)
                    .isEqualTo("pv1");
            assertThat(volumeOf(fixture, "two"))
                    .as("killed after %d steps", steps)
                    .isEqualTo("pv2");
        }
    }
}
