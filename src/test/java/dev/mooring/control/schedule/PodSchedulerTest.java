package dev.mooring.control.schedule;

import static dev.mooring.control.schedule.SchedulerObjects.TEAM;
import static dev.mooring.control.schedule.SchedulerObjects.boundClaim;
import static dev.mooring.control.schedule.SchedulerObjects.events;
import static dev.mooring.control.schedule.SchedulerObjects.messageOf;
import static dev.mooring.control.schedule.SchedulerObjects.node;
import static dev.mooring.control.schedule.SchedulerObjects.nodeOf;
import static dev.mooring.control.schedule.SchedulerObjects.pod;
import static dev.mooring.control.schedule.SchedulerObjects.uses;
import static dev.mooring.control.schedule.SchedulerObjects.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Placement of Pods on nodes, regardless of volumes. */
class PodSchedulerTest {
    private static ControllerFixture settled(String yaml) {
        return new ControllerFixture(new PodScheduler(), TEAM + yaml).settle();
    }

    @Test
    void pod_suitableNode_isScheduledInOneEvent() {
        ControllerFixture run = settled(node("n1") + pod("a", ""));
        assertThat(run.takeEvents()).containsExactly("PodScheduled pods/team/a");
        ObjectNode scheduled = WorldFixture.tree(run.world(), "pods/team/a");
        assertThat(scheduled.path("spec").path("nodeName").asText()).isEqualTo("n1");
        JsonNode condition = Conditions.find(scheduled, "PodScheduled").orElseThrow();
        assertThat(condition.path("status").asText()).isEqualTo("True");
        assertThat(condition.has("reason") || condition.has("message")).isFalse();
        assertThat(condition.path("lastTransitionTime").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(events(run.world())).containsExactly("a: Normal Scheduled Successfully assigned team/a to n1");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void pod_unknownFieldsAndConditions_areKept() {
        ControllerFixture run = settled(node("n1")
                + "---\n{kind: Pod, metadata: {namespace: team, name: a, annotations: {x: y}}, spec: {strange: [1]},"
                + " status: {phase: Pending, odd: true, conditions: [{type: Other, status: 'True', more: 1}]}}\n");
        ObjectNode scheduled = WorldFixture.tree(run.world(), "pods/team/a");
        assertThat(scheduled.at("/metadata/annotations/x").asText()).isEqualTo("y");
        assertThat(scheduled.at("/spec/strange/0").asInt()).isEqualTo(1);
        assertThat(scheduled.at("/status/odd").asBoolean()).isTrue();
        assertThat(scheduled.at("/status/conditions/0/more").asInt()).isEqualTo(1);
        assertThat(scheduled.at("/status/conditions/1/type").asText()).isEqualTo("PodScheduled");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "another scheduler  | schedulerName: other",
                "gates              | schedulingGates: [{name: quota}]",
            })
    void pod_otherSchedulerOrGated_isIgnored(String description, String spec) {
        ControllerFixture run = settled(node("n1") + pod("a", spec));
        assertThat(run.takeEvents()).as(description).isEmpty();
        assertThat(nodeOf(run, "a")).isEqualTo("-");
    }

    @Test
    void pod_finishedOrTerminating_isIgnored() {
        ControllerFixture run = settled(node("n1")
                + "---\n"
                + "{kind: Pod, metadata: {namespace: team, name: done}, spec: {}, status: {phase: Failed}}\n"
                + "---\n"
                + "{kind: Pod, metadata: {namespace: team, name: going, deletionTimestamp: '2026-01-01T00:00:00Z'},"
                + " spec: {}}\n");
        assertThat(run.takeEvents()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "unschedulable: true | | | 1 node(s) were unschedulable",
                "unschedulable: true | | tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}] | -",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | | 1 node(s) had untolerated taint(s)",
                "taints: [{key: k, value: v, effect: NoExecute}]  | | | 1 node(s) had untolerated taint(s)",
                "taints: [{key: k, value: v, effect: PreferNoSchedule}] | | | -",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | tolerations: [{key: k, value: v, effect:"
                        + " NoSchedule}] | -",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | tolerations: [{key: k, value: v}] | -",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | tolerations: [{key: k, value: w}] | 1 node(s)"
                        + " had untolerated taint(s)",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | tolerations: [{key: k, operator: Exists, effect:"
                        + " NoExecute}] | 1 node(s) had untolerated taint(s)",
                "taints: [{key: k, value: v, effect: NoSchedule}] | | tolerations: [{operator: Exists}] | -",
                "taints: [{key: k, effect: NoSchedule}] | | tolerations: [{operator: Equal}] | 1 node(s) had"
                        + " untolerated taint(s)",
                "` ` | conditions: [{type: Ready, status: 'False'}] | | 1 node(s) were not ready",
                "` ` | conditions: [{type: Ready, status: Unknown}] | | 1 node(s) were not ready",
                "` ` | conditions: [{type: Ready, status: 'True'}] | | -",
                "` ` | | nodeSelector: {kubernetes.io/hostname: n1} | -",
                "` ` | | nodeSelector: {kubernetes.io/hostname: n1, disk: ssd} | 1 node(s) didn't match Pod's node"
                        + " affinity/selector",
                "` ` | | affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                        + " [{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [n1]}]}]}}} | 1"
                        + " node(s) didn't match Pod's node affinity/selector",
                "` ` | | affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                        + " [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}} | -",
                "` ` | allocatable: {cpu: 500m} | containers: [{resources: {requests: {cpu: 500m}}}] | -",
                "` ` | allocatable: {cpu: 500m} | containers: [{resources: {requests: {cpu: 501m}}}] | 1 Insufficient"
                        + " cpu",
                "` ` | allocatable: {cpu: 500m} | containers: [{}] | -",
                "` ` | allocatable: {memory: 1Gi} | containers: [{resources: {requests: {memory: 600Mi}}}, {resources:"
                        + " {requests: {memory: 600Mi}}}] | 1 Insufficient memory",
                "` ` | allocatable: {memory: 1Gi} | initContainers: [{resources: {requests: {memory: 2Gi}}}] | 1"
                        + " Insufficient memory",
                "` ` | allocatable: {memory: 1Gi} | `initContainers: [{resources: {requests: {memory: 1Gi}}}],"
                        + " containers: [{resources: {requests: {memory: 1Gi}}}]` | -",
                "` ` | allocatable: {memory: 1Gi} | `initContainers: [{restartPolicy: Always, resources: {requests:"
                    + " {memory: 1Gi}}}], containers: [{resources: {requests: {memory: 1}}}]` | 1 Insufficient memory",
                "` ` | allocatable: {cpu: 1} | `overhead: {cpu: 1}, containers: [{resources: {requests: {cpu: 1m}}}]`"
                        + " | 1 Insufficient cpu",
                "` ` | allocatable: {pods: 0} | | 1 Too many pods",
            })
    void node_filters_acceptOrRejectPod(String nodeSpec, String nodeStatus, String podSpec, String refused) {
        ControllerFixture run = settled(node("n1", text(nodeSpec), text(nodeStatus)) + pod("a", text(podSpec)));
        assertThat(messageOf(run, "a"))
                .isEqualTo(refused.equals("-") ? "-" : "0/1 nodes are available: " + refused + ".");
        assertThat(nodeOf(run, "a")).isEqualTo(refused.equals("-") ? "n1" : "-");
    }

    private static String text(String cell) {
        return cell == null ? "" : cell;
    }

    @Test
    void pod_noSuitableNode_reportsNodeCountPerReason() {
        ControllerFixture run = settled(node("n1", "unschedulable: true", "")
                + node("n2", "taints: [{key: k, effect: NoSchedule}]", "")
                + node("n3")
                + node("n4")
                + volume("pv", "1Gi", "n1")
                + boundClaim("data", "pv", "ReadWriteMany")
                + pod("a", uses("data")));
        String message = "0/4 nodes are available: 1 node(s) had untolerated taint(s),"
                + " 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict.";
        assertThat(messageOf(run, "a")).isEqualTo(message);
        assertThat(events(run.world())).containsExactly("a: Warning FailedScheduling " + message);
        assertThat(run.takeEvents()).containsExactly("PodUnschedulable pods/team/a");
    }

    @Test
    void unschedulablePod_reasonUnchanged_isNotReportedAgain() {
        ControllerFixture run = settled(node("n1", "unschedulable: true", "") + pod("a", ""));
        run.takeEvents();
        run.put(node("n1", "unschedulable: true, podCIDR: x", "")).settle().advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
        run.put(node("n2", "unschedulable: true", "")).settle();
        assertThat(messageOf(run, "a")).isEqualTo("0/2 nodes are available: 2 node(s) were unschedulable.");
    }

    @Test
    void pod_noNodes_isScheduledWhenFirstAppears() {
        ControllerFixture run = settled(pod("a", ""));
        assertThat(messageOf(run, "a")).isEqualTo("no nodes available to schedule pods");
        run.put(node("n1")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
        ObjectNode scheduled = WorldFixture.tree(run.world(), "pods/team/a");
        assertThat(scheduled.at("/status/conditions")).hasSize(1);
        assertThat(scheduled.at("/status/conditions/0/status").asText()).isEqualTo("True");
    }

    @Test
    void unschedulablePod_nodeUncordoned_isScheduled() {
        ControllerFixture run = settled(node("n1", "unschedulable: true", "") + pod("a", ""));
        run.put(node("n1")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
    }

    @Test
    void unschedulablePod_nodeReadyAgain_isScheduled() {
        ControllerFixture run = settled(node("n1", "", "conditions: [{type: Ready, status: Unknown}]") + pod("a", ""));
        run.put(node("n1", "", "conditions: [{type: Ready, status: 'True'}]")).settle();
        assertThat(nodeOf(run, "a")).isEqualTo("n1");
    }

    @Test
    void unschedulablePod_otherPodFinishedOrRemoved_isScheduled() {
        String full = "containers: [{resources: {requests: {cpu: 800m}}, ports: [{hostPort: 80}]}]";
        ControllerFixture run = settled(node("n1", "", "allocatable: {cpu: 1}")
                + pod("old", "nodeName: n1, " + full)
                + pod("new", full)
                + pod("port", "containers: [{ports: [{hostPort: 80, hostIP: 10.0.0.1}]}]")
                + pod("udp", "containers: [{ports: [{hostPort: 80, protocol: UDP}]}]"));
        assertThat(messageOf(run, "port"))
                .isEqualTo("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.");
        assertThat(nodeOf(run, "new")).isEqualTo("-");
        assertThat(nodeOf(run, "udp")).isEqualTo("n1");
        run.put("---\n"
                        + "{kind: Pod, metadata: {namespace: team, name: old}, spec: {nodeName: n1}, status:"
                        + " {phase: Succeeded}}\n")
                .settle();
        assertThat(nodeOf(run, "new")).isEqualTo("n1");
        assertThat(nodeOf(run, "port"))
                .as("Pod whose host port is in use again")
                .isEqualTo("-");
        run.remove("pods/team/new").settle();
        assertThat(nodeOf(run, "port")).isEqualTo("n1");
    }

    @Test
    void pods_equalNodes_areSpreadThenOrderedByName() {
        ControllerFixture run =
                settled(node("n2") + node("n1") + pod("old", "nodeName: n1") + pod("a", "") + pod("b", ""));
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
        assertThat(nodeOf(run, "b")).isEqualTo("n1");
    }

    @Test
    void pod_preferNoScheduleTaint_prefersOtherNode() {
        ControllerFixture run = settled(node("n1", "taints: [{key: k, effect: PreferNoSchedule}]", "")
                + node("n2")
                + pod("old", "nodeName: n2")
                + pod("a", ""));
        assertThat(nodeOf(run, "a")).isEqualTo("n2");
    }

    @Test
    void unschedulablePods_unrelatedChanges_areNotReconciled() {
        StringBuilder yaml =
                new StringBuilder(node("n1", "", "allocatable: {cpu: 1}") + node("n2") + volume("pv", "1Gi", "n2"));
        yaml.append(pod("other", "nodeName: n2"));
        for (int i = 0; i < 1000; i++) {
            yaml.append(pod("p" + i, "nodeSelector: {disk: ssd}, " + uses("c" + i)));
            yaml.append(boundClaim("c" + i, "pv", "ReadWriteMany"));
        }
        ControllerFixture run = settled(yaml.toString());
        int reconciles = run.reconciles();
        run.put(SchedulerObjects.STATIC)
                .put(volume("pv2", "5Gi", "n2"))
                .put(boundClaim("unused", "pv2", "ReadWriteOnce"))
                .put(node("n1", "", "allocatable: {cpu: 1}, volumesInUse: [x]"))
                .put("---\n"
                        + "{kind: Pod, metadata: {namespace: team, name: other}, spec: {nodeName: n2}, status:"
                        + " {phase: Running}}\n")
                .put("---\n{kind: Secret, metadata: {namespace: team, name: s}}\n")
                .remove("pods/team/other")
                .settle();
        assertThat(run.reconciles()).isEqualTo(reconciles);
        run.put(boundClaim("c7", "pv", "ReadWriteOnce")).settle();
        assertThat(run.reconciles()).isEqualTo(reconciles + 1);
    }
}
