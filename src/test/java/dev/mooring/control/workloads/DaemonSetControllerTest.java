package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

class DaemonSetControllerTest {
    private static final String KEY = "daemonsets.apps/ns/agent";

    private static String node(String name, String more) {
        return "---\n{kind: Node, metadata: {name: " + name + ", labels: {disk: ssd}}" + more + "}\n";
    }

    private static WorkloadFixture set(String more, String... nodes) {
        return new WorkloadFixture(
                "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: ns, generation: 1}, spec: {"
                        + "selector: {matchLabels: {app: agent}}, " + more
                        + WorkloadFixture.template("app: agent", "agent:1") + "}}\n" + String.join("", nodes));
    }

    private static String target(Pod pod) {
        return pod.spec()
                .at("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"
                        + "/matchFields/0/values/0")
                .asText();
    }

    private static List<String> targets(WorkloadFixture run) {
        return run.activePods().stream()
                .map(DaemonSetControllerTest::target)
                .sorted()
                .toList();
    }

    @Test
    void eachNode_getsOnePodWithAffinityAndTolerations() {
        WorkloadFixture run = set("", node("n1", ""), node("n2", ", spec: {unschedulable: true}"));
        assertThat(targets(run)).containsExactly("n1", "n2");
        assertThat(run.pods().get(0).spec().path("tolerations"))
                .extracting(each -> each.path("key").asText())
                .contains("node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable");
        run.converge();
        assertThat(run.status(KEY).path("desiredNumberScheduled").asInt()).isEqualTo(2);
        assertThat(run.status(KEY).path("numberAvailable").asInt()).isEqualTo(2);
        assertThat(run.status(KEY).path("updatedNumberScheduled").asInt()).isEqualTo(2);
        run.assertSettled();
    }

    @Test
    void taintedNode_getsNoPod_andANoExecuteTaintEndsIt() {
        WorkloadFixture run =
                set("", node("n1", ""), node("n2", ", spec: {taints: [{key: a, value: b, effect: NoSchedule}]}"));
        assertThat(targets(run.converge())).containsExactly("n1");
        run.put(WorldFixture.objects(node("n1", ", spec: {taints: [{key: a, effect: NoExecute}]}"))
                .get(0));
        assertThat(run.activePods()).isEmpty();
    }

    @Test
    void newNode_getsAPod_andARemovedNodeLosesIt() {
        WorkloadFixture run = set("", node("n1", "")).converge();
        run.put(WorldFixture.objects(node("n2", "")).get(0)).converge();
        assertThat(targets(run)).containsExactly("n1", "n2");
    }

    @Test
    void rollingUpdate_replacesOnePodAtATime() {
        WorkloadFixture run = set(
                        "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}, ",
                        node("n1", ""),
                        node("n2", ""),
                        node("n3", ""))
                .converge();
        run.run.observe((before, event) -> assertThat(
                        run.activePods().stream().filter(Pod::isReady).count())
                .isGreaterThanOrEqualTo(2));
        ObjectNode tree = run.tree(KEY);
        ((ObjectNode) tree.at("/spec/template/spec/containers/0")).put("image", "agent:2");
        run.put(tree).converge();
        assertThat(run.pods())
                .hasSize(3)
                .allSatisfy(
                        pod -> assertThat(pod.spec().at("/containers/0/image").asText())
                                .isEqualTo("agent:2"));
    }

    @Test
    void nodeSelector_limitsTheNodes() {
        WorkloadFixture run = set("", node("n1", ""));
        ObjectNode tree = run.tree(KEY);
        tree.withObject("/spec/template/spec/nodeSelector").put("disk", "hdd");
        run.put(tree).converge();
        assertThat(run.pods()).isEmpty();
        assertThat(run.status(KEY).path("desiredNumberScheduled").asInt()).isZero();
    }
}
