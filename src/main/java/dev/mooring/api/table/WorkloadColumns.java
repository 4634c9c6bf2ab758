package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Columns of Pods and Nodes. */
final class WorkloadColumns {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";

    static final List<Column> POD = ColumnListBuilder.withName()
            .text(
                    "Ready",
                    "Ready containers and all containers of the Pod.",
                    (pod, now) -> PodSummary.of(pod).ready())
            .text(
                    "Status",
                    "Aggregate status of the Pod.",
                    (pod, now) -> PodSummary.of(pod).status())
            .text(
                    "Restarts",
                    "Number of container restarts, and time since the last one.",
                    (pod, now) -> PodSummary.of(pod).restarts(now))
            .age()
            .wide("IP", "The address of the Pod.", (pod, now) -> podIp(pod))
            .wide("Node", "The node the Pod runs on.", (pod, now) -> textOr(NONE, pod, "spec", "nodeName"))
            .wide(
                    "Nominated Node",
                    "The node on which Pods are preempted for this Pod.",
                    (pod, now) -> textOr(NONE, pod, "status", "nominatedNodeName"))
            .wide("Readiness Gates", "Fulfilled and all readiness gates of the Pod.", (pod, now) -> readinessGates(pod))
            .build();

    static final List<Column> NODE = ColumnListBuilder.withName()
            .text("Status", "Whether the node is ready and schedulable.", (node, now) -> status(node))
            .text("Roles", "Roles of the node.", (node, now) -> roles(node))
            .age()
            .text(
                    "Version",
                    "The version of the agent on the node.",
                    (node, now) -> text(node, "status", "nodeInfo", "kubeletVersion"))
            .wide("Internal-IP", "Internal address of the node.", (node, now) -> address(node, "InternalIP"))
            .wide("External-IP", "External address of the node.", (node, now) -> address(node, "ExternalIP"))
            .wide("OS-Image", "The operating system of the node.", (node, now) -> info(node, "osImage"))
            .wide("Kernel-Version", "The kernel of the node.", (node, now) -> info(node, "kernelVersion"))
            .wide(
                    "Container-Runtime",
                    "Container runtime of the node.",
                    (node, now) -> info(node, "containerRuntimeVersion"))
            .build();

    private WorkloadColumns() {}

    private static String podIp(JsonNode pod) {
        JsonNode status = pod.path("status");
        String ip = text(status, "podIP");
        return ip.isEmpty() ? textOr(NONE, status.path("podIPs").path(0), "ip") : ip;
    }

    private static String readinessGates(JsonNode pod) {
        JsonNode gates = at(pod, "spec", "readinessGates");
        if (gates.isEmpty()) {
            return NONE;
        }
        int open = 0;
        for (JsonNode gate : gates) {
            for (JsonNode condition : at(pod, "status", "conditions")) {
                if (text(condition, "type").equals(text(gate, "conditionType"))) {
                    open += "True".equals(text(condition, "status")) ? 1 : 0;
                    break;
                }
            }
        }
        return open + "/" + gates.size();
    }

    private static String status(JsonNode node) {
        String status = "Unknown";
        String runtime = "";
        for (JsonNode condition : at(node, "status", "conditions")) {
            boolean isTrue = "True".equals(text(condition, "status"));
            if ("Ready".equals(text(condition, "type"))) {
                status = isTrue ? "Ready" : "NotReady";
            } else if ("ContainerRuntimeReady".equals(text(condition, "type")) && !isTrue) {
                runtime = "," + text(condition, "reason");
            }
        }
        // The node is ready for volumes, but cannot start containers (ADR 23).
        status = status.equals("Ready") ? status + runtime : status;
        return at(node, "spec", "unschedulable").asBoolean(false) ? status + ",SchedulingDisabled" : status;
    }

    private static String roles(JsonNode node) {
        TreeSet<String> roles = new TreeSet<>();
        for (Map.Entry<String, JsonNode> label : at(node, "metadata", "labels").properties()) {
            if (label.getKey().startsWith(ROLE_PREFIX)) {
                roles.add(label.getKey().substring(ROLE_PREFIX.length()));
            } else if (label.getKey().equals(ROLE)) {
                roles.add(text(label.getValue()));
            }
        }
        roles.remove("");
        return roles.isEmpty() ? NONE : String.join(",", roles);
    }

    private static String address(JsonNode node, String type) {
        for (JsonNode address : at(node, "status", "addresses")) {
            if (type.equals(text(address, "type"))) {
                return text(address, "address");
            }
        }
        return NONE;
    }

    private static String info(JsonNode node, String field) {
        return textOr(AgeFormat.UNKNOWN, node, "status", "nodeInfo", field);
    }
}
