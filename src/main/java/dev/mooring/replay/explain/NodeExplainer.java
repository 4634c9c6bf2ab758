package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Explains a Node by its conditions, cordon and taints, and by the Warnings of its agent. Stateless. */
final class NodeExplainer implements ResourceExplainer {
    private static final String RUNTIME_READY = "ContainerRuntimeReady";

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        Node node = Node.of(object);
        List<Finding> causes = new ArrayList<>();
        node.condition("Ready").filter(each -> !isTrue(each)).ifPresent(ready -> causes.add(notReady(node, ready)));
        for (JsonNode each : node.status().path("conditions")) {
            if (each.path("type").asText("").endsWith("Pressure") && isTrue(each)) {
                causes.add(pressure(each));
            }
        }
        if (node.isCordoned()) {
            causes.add(Finding.waiting("The node is cordoned: the scheduler assigns no Pods to it.")
                    .reason("Unschedulable")
                    .next("Permit new Pods.", "kubectl uncordon " + node.name())
                    .build());
        }
        causes.addAll(taints(node, Finding::info));
        if (!node.isKnownNotReady()) {
            withoutEngine(node).map(NodeExplainer::asInfo).ifPresent(causes::add);
        }
        causes.addAll(GenericExplainer.warnings(object, context));
        String state = GenericExplainer.isTerminating(object)
                ? GenericExplainer.TERMINATING
                : node.isKnownNotReady() ? "NotReady" : "Ready";
        String text = ObjectRef.of(object) + " is " + state + (node.isCordoned() ? " and cordoned." : ".");
        return new Explained(
                state, GenericExplainer.asSeriousAs(causes, text).about(object).build());
    }

    private static boolean isTrue(JsonNode condition) {
        return condition.path("status").asText("").equals("True");
    }

    private static Finding notReady(Node node, JsonNode ready) {
        String reason = ready.path("reason").asText("");
        boolean isSilent = ready.path("status").asText("").equals("Unknown");
        Finding.Builder finding = Finding.failed(
                        isSilent
                                ? "Its agent has not renewed the node's Lease in time: Mooring does not run there, or"
                                        + " cannot reach this server."
                                : ClaimExplainer.sentence(ready.path("message").asText("The node is not ready")))
                .reason(reason)
                .at(GenericExplainer.time(ready.path("lastTransitionTime")));
        if (isSilent) {
            finding.next("Start Mooring on the machine " + node.name() + ".", "systemctl start mooring")
                    .next(
                            "If the machine is gone for good, release its volumes.",
                            "kubectl taint node " + node.name()
                                    + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
        } else if (reason.equals("ContainerRuntimeNotReady")) {
            startEngine(finding, node);
        } else {
            finding.next("Read the conditions of the node.", Commands.kubectl("describe", node.key()));
        }
        return finding.build();
    }

    private static void startEngine(Finding.Builder finding, Node node) {
        finding.next("Start the Docker engine on machine " + node.name() + ".", "systemctl start docker")
                .next("Check that the engine responds.", "docker info");
    }

    private static Finding pressure(JsonNode condition) {
        String type = condition.path("type").asText("");
        Finding.Builder finding = Finding.waiting(
                        ClaimExplainer.sentence(condition.path("message").asText(type)))
                .reason(type)
                .at(GenericExplainer.time(condition.path("lastTransitionTime")));
        return switch (type) {
            case "DiskPressure" ->
                finding.next("Find the full file system on the machine.", "df -h")
                        .build();
            case "MemoryPressure" ->
                finding.next("Find what uses the memory of the machine.", "ps -eo pid,rss,args --sort=-rss")
                        .build();
            default ->
                finding.next("Count the processes of the machine.", "ps -e --no-headers | wc -l")
                        .build();
        };
    }

    /** Returns a finding for each taint that a user has set. */
    static List<Finding> taints(Node node, Function<String, Finding.Builder> severity) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : node.taints()) {
            String key = each.path("key").asText("");
            // Those of Kubernetes follow from conditions and the cordon.
            boolean follows = key.startsWith("node.kubernetes.io/") && !key.endsWith("/out-of-service");
            if (!follows) {
                String value = each.path("value").asText("");
                String taint = key
                        + (value.isEmpty() ? "" : "=" + value)
                        + ':'
                        + each.path("effect").asText("");
                findings.add(severity.apply("Taint " + taint + " keeps away Pods that do not tolerate it.")
                        .reason("Tainted")
                        .next(
                                "Remove the taint.",
                                "kubectl taint node " + node.name() + ' ' + Commands.quoted(taint + '-'))
                        .build());
            }
        }
        return findings;
    }

    /** Returns why the node runs no containers although it is ready; empty if it runs containers. */
    static Optional<Finding> withoutEngine(Node node) {
        Optional<JsonNode> condition = node.condition(RUNTIME_READY);
        if (condition.isPresent() && !isTrue(condition.get())) {
            Finding.Builder finding = Finding.failed("Node " + node.name() + " has no container engine: "
                            + ClaimExplainer.sentence(
                                    condition.get().path("message").asText("")))
                    .about(node.stored())
                    .reason(condition.get().path("reason").asText(""));
            startEngine(finding, node);
            return Optional.of(finding.build());
        }
        boolean isUnused = condition.isEmpty()
                && node.condition("Ready").isPresent()
                && node.engineVersion().isEmpty();
        return isUnused
                ? Optional.of(Finding.waiting("Node " + node.name()
                                + " runs no containers: Pods get their volumes there, but do not start.")
                        .about(node.stored())
                        .reason("NoContainerRuntime")
                        .next("Restart Mooring on the node with a Docker engine.", "mooring server --runtime docker")
                        .build())
                : Optional.empty();
    }

    /** A node without an engine serves volumes, which is no problem of the node itself. */
    private static Finding asInfo(Finding finding) {
        return Finding.info(finding.text()).reason(finding.reason()).build();
    }
}
