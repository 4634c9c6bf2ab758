package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeLifecycleControllerTest {
    /** The initial time of {@link ControllerFixture}. */
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final String NAMESPACE = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String READY =
            node("{type: Ready, status: 'True', lastHeartbeatTime: '2025-12-31T00:00:00Z'}");
    private static final String POD = """
        ---
        kind: Pod
        metadata: {name: p, namespace: default}
        spec: {nodeName: n1}
        status: {phase: Running, conditions: [{type: Initialized, status: 'True'}, {type: Ready, status: 'True'}]}
        """;

    private final Map<String, Instant> heartbeats = new HashMap<>();

    private static String node(String conditions) {
        return """
            ---
            kind: Node
            metadata: {name: n1, labels: {mine: x}}
            spec: {taints: [{key: mine, effect: NoSchedule}], unknown: kept}
            status: {conditions: [%s]}
            """.formatted(conditions);
    }

    private ControllerFixture run(String yaml) {
        return new ControllerFixture(controller(), NAMESPACE + yaml).settle();
    }

    private NodeLifecycleController controller() {
        return new NodeLifecycleController(
                node -> Optional.ofNullable(heartbeats.get(node)), NodeLifecycleController.DEFAULT_GRACE, START);
    }

    private static JsonNode node(ControllerFixture run) {
        return WorldFixture.tree(run.world(), "nodes/n1");
    }

    private static List<String> taints(ControllerFixture run) {
        List<String> taints = new ArrayList<>();
        node(run)
                .path("spec")
                .path("taints")
                .forEach(taint -> taints.add(
                        taint.path("key").asText() + ':' + taint.path("effect").asText()));
        return taints;
    }

    private static String condition(JsonNode object, String type) {
        for (JsonNode each : object.path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each.path("status").asText() + ' ' + each.path("reason").asText() + ": "
                        + each.path("message").asText();
            }
        }
        return "";
    }

    private static List<String> events(ControllerFixture run) {
        List<String> recorded = new ArrayList<>();
        run.world().list(Scope.resource("events")).forEach(each -> {
            JsonNode event = each.toTree();
            recorded.add(
                    event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                            + event.path("involvedObject").path("name").asText() + ": "
                            + event.path("message").asText());
        });
        return recorded;
    }

    @Test
    void node_withoutHeartbeat_becomesUnknownAndTainted() {
        heartbeats.put("n1", START.minusSeconds(5));
        ControllerFixture run = run(node("{type: Ready, status: 'True'}, {type: DiskPressure, status: 'False'}"));
        run.advance(Duration.ofMillis(39_999));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofMillis(1));
        assertThat(run.takeEvents()).containsExactly("NodeNotReady nodes/n1");
        assertThat(condition(node(run), "Ready"))
                .isEqualTo("Unknown NodeStatusUnknown: Kubelet stopped posting node status.");
        assertThat(condition(node(run), "DiskPressure")).startsWith("Unknown NodeStatusUnknown");
        assertThat(condition(node(run), "MemoryPressure")).isEmpty();
        assertThat(taints(run))
                .containsExactly(
                        "mine:NoSchedule",
                        "node.kubernetes.io/unreachable:NoSchedule",
                        "node.kubernetes.io/unreachable:NoExecute");
        assertThat(node(run)
                        .path("spec")
                        .path("taints")
                        .get(1)
                        .path("timeAdded")
                        .asText())
                .isEqualTo("2026-01-01T00:00:40Z");
        assertThat(events(run)).containsExactly("Normal NodeNotReady n1: Node n1 status is now: NodeNotReady");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void node_withHeartbeats_staysReadyAndIsReconciledOncePerGracePeriod() {
        ControllerFixture run = run(READY);
        for (int second = 0; second < 3600; second += 10) {
            heartbeats.put("n1", run.now());
            run.advance(Duration.ofSeconds(10));
        }
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.reconciles()).isLessThanOrEqualTo(3600 / 30 + 1);
        run.advance(Duration.ofSeconds(29));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofSeconds(1));
        assertThat(run.takeEvents()).containsExactly("NodeNotReady nodes/n1");
    }

    @Test
    void node_noHeartbeatSinceStart_becomesUnknownAfterGracePeriod() {
        ControllerFixture run = run(READY);
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofSeconds(40));
        assertThat(condition(node(run), "Ready")).startsWith("Unknown");
    }

    @Test
    void node_newWithoutHeartbeat_becomesUnknownAfterGracePeriod() {
        ControllerFixture run = run("");
        run.advance(Duration.ofHours(1));
        run.put(READY.replace("{name: n1,", "{name: n1, creationTimestamp: '2026-01-01T01:00:00Z',"))
                .settle();
        run.advance(Duration.ofSeconds(39));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofSeconds(1));
        assertThat(run.takeEvents()).containsExactly("NodeNotReady nodes/n1");
    }

    @Test
    void node_readyAgain_losesItsTaints() {
        ControllerFixture run = run(READY);
        run.advance(Duration.ofMinutes(10));
        heartbeats.put("n1", run.now());
        JsonNode ready = node(run);
        ((ObjectNode) ready.path("status").path("conditions").get(0)).put("status", "True");
        run.takeEvents();
        run.put(ready.toString()).settle();
        assertThat(run.takeEvents()).containsExactly("NodeTaintsChanged nodes/n1");
        assertThat(taints(run)).containsExactly("mine:NoSchedule");
        assertThat(node(run).path("spec").path("unknown").asText()).isEqualTo("kept");
        assertThat(node(run).path("metadata").path("labels").path("mine").asText())
                .isEqualTo("x");
        run.advance(Duration.ofSeconds(40));
        assertThat(run.takeEvents()).containsExactly("NodeNotReady nodes/n1");
        assertThat(run.world()
                        .list(Scope.resource("events"))
                        .iterator()
                        .next()
                        .toTree()
                        .path("count")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void node_withoutConditionsAndLease_isIgnored() {
        ControllerFixture run = run("---\n{kind: Node, metadata: {name: n1}, spec: {unschedulable: true}}\n" + POD);
        run.advance(Duration.ofDays(1));
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void node_withLeaseButWithoutStatus_becomesUnknown() {
        ControllerFixture run = run("""
            ---
            {kind: Node, metadata: {name: n1}}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: n1, namespace: kube-node-lease}
            spec: {holderIdentity: n1, renewTime: '2030-01-01T00:00:00.000000Z'}
            """);
        run.advance(Duration.ofSeconds(40));
        assertThat(condition(node(run), "Ready"))
                .isEqualTo("Unknown NodeStatusNeverUpdated: Kubelet never posted node status.");
    }

    @Test
    void node_leaseCreated_isReconciled() {
        ControllerFixture run = run("---\n{kind: Node, metadata: {name: n1}}\n");
        assertThat(run.waiting()).isZero();
        run.put("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: n1, namespace: kube-node-lease}}")
                .settle();
        assertThat(run.waiting()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        {type: Ready, status: 'False'}                                          | not-ready:NoSchedule not-ready:NoExecute
        {type: Ready, status: 'Unknown'}                                        | unreachable:NoSchedule unreachable:NoExecute
        {type: Ready, status: 'True'}                                           | ""
        "{type: Ready, status: 'True'}, {type: MemoryPressure, status: 'True'}" | memory-pressure:NoSchedule
        "{type: Ready, status: 'True'}, {type: DiskPressure, status: 'True'}"   | disk-pressure:NoSchedule
        "{type: Ready, status: 'True'}, {type: PIDPressure, status: 'True'}"    | pid-pressure:NoSchedule
        "{type: Ready, status: 'True'}, {type: PIDPressure, status: 'Unknown'}" | ""
        {type: NetworkUnavailable, status: 'True'}                              | network-unavailable:NoSchedule
        """)
    void node_conditions_determineItsTaints(String conditions, String taints) {
        ControllerFixture run = run(node(conditions));
        assertThat(String.join(" ", taints(run)).replace("node.kubernetes.io/", ""))
                .isEqualTo(("mine:NoSchedule " + taints).trim());
        assertThat(run.settle().takeEvents().size()).isLessThanOrEqualTo(1);
    }

    @Test
    void node_cordoned_isTaintedUntilUncordoned() {
        ControllerFixture run = run(READY.replace("unknown", "unschedulable: true, unknown"));
        assertThat(taints(run)).containsExactly("mine:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule");
        assertThat(events(run)).isEmpty();
        run.put(node(run).toString().replace("\"unschedulable\":true,", "")).settle();
        assertThat(taints(run)).containsExactly("mine:NoSchedule");
    }

    @Test
    void pods_nodeNotReady_areKeptButNotReady() {
        ControllerFixture run = run(READY
                + POD
                + POD.replace("{name: p,", "{name: elsewhere,").replace("n1", "n2")
                + POD.replace("{name: p,", "{name: unready,")
                        .replace("type: Ready, status: 'True'", "type: Ready, status: 'False', reason: X"));
        run.advance(Duration.ofSeconds(40));
        assertThat(run.takeEvents()).containsExactly("NodeNotReady nodes/n1", "PodNotReady pods/default/p");
        JsonNode pod = WorldFixture.tree(run.world(), "pods/default/p");
        assertThat(condition(pod, "Ready")).isEqualTo("False NodeNotReady: Node n1 is not ready");
        assertThat(condition(pod, "Initialized")).startsWith("True");
        assertThat(pod.path("status").path("phase").asText()).isEqualTo("Running");
        assertThat(pod.path("metadata").has("deletionTimestamp")).isFalse();
        assertThat(condition(WorldFixture.tree(run.world(), "pods/default/unready"), "Ready"))
                .startsWith("False X");
        assertThat(condition(WorldFixture.tree(run.world(), "pods/default/elsewhere"), "Ready"))
                .startsWith("True");
        assertThat(events(run)).contains("Warning NodeNotReady p: Node is not ready");
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void pod_readyOnNotReadyNode_becomesNotReady() {
        ControllerFixture run = run(node("{type: Ready, status: 'False'}"));
        run.takeEvents();
        run.put(POD).settle();
        assertThat(run.takeEvents()).containsExactly("PodNotReady pods/default/p");
        run.remove("pods/default/p").settle();
        assertThat(run.takeEvents()).isEmpty();
    }
}
