package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
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

class NodeLifecycleTest {
    /** When {@link OneController} begins. */
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

    private final Map<String, Instant> beats = new HashMap<>();

    private static String node(String conditions) {
        return """
            ---
            kind: Node
            metadata: {name: n1, labels: {mine: x}}
            spec: {taints: [{key: mine, effect: NoSchedule}], unknown: kept}
            status: {conditions: [%s]}
            """.formatted(conditions);
    }

    private OneController run(String yaml) {
        return new OneController(controller(), NAMESPACE + yaml).settle();
    }

    private NodeLifecycle controller() {
        return new NodeLifecycle(node -> Optional.ofNullable(beats.get(node)), NodeLifecycle.DEFAULT_GRACE, START);
    }

    private static JsonNode node(OneController run) {
        return Worlds.tree(run.world(), "nodes/n1");
    }

    private static List<String> taints(OneController run) {
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

    private static List<String> events(OneController run) {
        List<String> told = new ArrayList<>();
        run.world().list(Scope.resource("events")).forEach(each -> {
            JsonNode event = StoredJson.tree(each);
            told.add(event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                    + event.path("involvedObject").path("name").asText() + ": "
                    + event.path("message").asText());
        });
        return told;
    }

    @Test
    void saysOfANodeThatHasFallenSilentThatNothingIsKnown() {
        beats.put("n1", START.minusSeconds(5));
        OneController run = run(node("{type: Ready, status: 'True'}, {type: DiskPressure, status: 'False'}"));
        run.pass(Duration.ofMillis(39_999));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofMillis(1));
        assertThat(run.did()).containsExactly("NodeNotReady nodes/n1");
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
    void leavesANodeThatBeatsAloneAndLooksAtItOncePerGracePeriod() {
        OneController run = run(READY);
        for (int second = 0; second < 3600; second += 10) {
            beats.put("n1", run.now());
            run.pass(Duration.ofSeconds(10));
        }
        assertThat(run.did()).isEmpty();
        assertThat(run.looks()).isLessThanOrEqualTo(3600 / 30 + 1);
        run.pass(Duration.ofSeconds(29));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofSeconds(1));
        assertThat(run.did()).containsExactly("NodeNotReady nodes/n1");
    }

    @Test
    void givesEveryNodeItsTimeAfterAStart() {
        OneController run = run(READY);
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofSeconds(40));
        assertThat(condition(node(run), "Ready")).startsWith("Unknown");
    }

    @Test
    void givesANewNodeItsTime() {
        OneController run = run("");
        run.pass(Duration.ofHours(1));
        run.put(READY.replace("{name: n1,", "{name: n1, creationTimestamp: '2026-01-01T01:00:00Z',"))
                .settle();
        run.pass(Duration.ofSeconds(39));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofSeconds(1));
        assertThat(run.did()).containsExactly("NodeNotReady nodes/n1");
    }

    @Test
    void takesTheTaintsAwayWhenTheNodeSaysItIsWell() {
        OneController run = run(READY);
        run.pass(Duration.ofMinutes(10));
        beats.put("n1", run.now());
        JsonNode well = node(run);
        ((ObjectNode) well.path("status").path("conditions").get(0)).put("status", "True");
        run.did();
        run.put(well.toString()).settle();
        assertThat(run.did()).containsExactly("NodeTaintsChanged nodes/n1");
        assertThat(taints(run)).containsExactly("mine:NoSchedule");
        assertThat(node(run).path("spec").path("unknown").asText()).isEqualTo("kept");
        assertThat(node(run).path("metadata").path("labels").path("mine").asText())
                .isEqualTo("x");
        run.pass(Duration.ofSeconds(40));
        assertThat(run.did()).containsExactly("NodeNotReady nodes/n1");
        assertThat(StoredJson.tree(run.world()
                                .list(Scope.resource("events"))
                                .iterator()
                                .next())
                        .path("count")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void leavesANodeAloneThatNobodyManages() {
        OneController run = run("---\n{kind: Node, metadata: {name: n1}, spec: {unschedulable: true}}\n" + POD);
        run.pass(Duration.ofDays(1));
        assertThat(run.did()).isEmpty();
        assertThat(run.waiting()).isZero();
    }

    @Test
    void expectsANodeWithALeaseToSayHowItIs() {
        OneController run = run("""
            ---
            {kind: Node, metadata: {name: n1}}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: n1, namespace: kube-node-lease}
            spec: {holderIdentity: n1, renewTime: '2030-01-01T00:00:00.000000Z'}
            """);
        run.pass(Duration.ofSeconds(40));
        assertThat(condition(node(run), "Ready"))
                .isEqualTo("Unknown NodeStatusNeverUpdated: Kubelet never posted node status.");
    }

    @Test
    void looksAtANodeWhenItsLeaseAppears() {
        OneController run = run("---\n{kind: Node, metadata: {name: n1}}\n");
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
    void taintsANodeByItsConditions(String conditions, String taints) {
        OneController run = run(node(conditions));
        assertThat(String.join(" ", taints(run)).replace("node.kubernetes.io/", ""))
                .isEqualTo(("mine:NoSchedule " + taints).trim());
        assertThat(run.settle().did().size()).isLessThanOrEqualTo(1);
    }

    @Test
    void taintsACordonedNodeUntilItIsUncordoned() {
        OneController run = run(READY.replace("unknown", "unschedulable: true, unknown"));
        assertThat(taints(run)).containsExactly("mine:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule");
        assertThat(events(run)).isEmpty();
        run.put(node(run).toString().replace("\"unschedulable\":true,", "")).settle();
        assertThat(taints(run)).containsExactly("mine:NoSchedule");
    }

    @Test
    void keepsPodsButNoLongerCallsThemReady() {
        OneController run = run(READY
                + POD
                + POD.replace("{name: p,", "{name: elsewhere,").replace("n1", "n2")
                + POD.replace("{name: p,", "{name: unready,")
                        .replace("type: Ready, status: 'True'", "type: Ready, status: 'False', reason: X"));
        run.pass(Duration.ofSeconds(40));
        assertThat(run.did()).containsExactly("NodeNotReady nodes/n1", "PodNotReady pods/default/p");
        JsonNode pod = Worlds.tree(run.world(), "pods/default/p");
        assertThat(condition(pod, "Ready")).isEqualTo("False NodeNotReady: Node n1 is not ready");
        assertThat(condition(pod, "Initialized")).startsWith("True");
        assertThat(pod.path("status").path("phase").asText()).isEqualTo("Running");
        assertThat(pod.path("metadata").has("deletionTimestamp")).isFalse();
        assertThat(condition(Worlds.tree(run.world(), "pods/default/unready"), "Ready"))
                .startsWith("False X");
        assertThat(condition(Worlds.tree(run.world(), "pods/default/elsewhere"), "Ready"))
                .startsWith("True");
        assertThat(events(run)).contains("Warning NodeNotReady p: Node is not ready");
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
    }

    @Test
    void noticesAPodThatIsCalledReadyOnANodeThatIsNot() {
        OneController run = run(node("{type: Ready, status: 'False'}"));
        run.did();
        run.put(POD).settle();
        assertThat(run.did()).containsExactly("PodNotReady pods/default/p");
        run.remove("pods/default/p").settle();
        assertThat(run.did()).isEmpty();
    }
}
