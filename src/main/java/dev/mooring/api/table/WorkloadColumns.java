package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.NONE;
import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.text;
import static dev.mooring.api.table.Fields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Pods and the nodes they run on. */
final class WorkloadColumns {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";

    static final List<Column> POD = ColumnList.named()
            .text(
                    "Ready",
                    "How many of the Pod's containers are ready, of how many.",
                    (pod, now) -> PodSummary.of(pod).ready())
            .text(
                    "Status",
                    "What the Pod as a whole is doing.",
                    (pod, now) -> PodSummary.of(pod).status())
            .text(
                    "Restarts",
                    "How often containers of the Pod were restarted, and when last.",
                    (pod, now) -> PodSummary.of(pod).restarts(now))
            .age()
            .wide("IP", "The address of the Pod.", (pod, now) -> podIp(pod))
            .wide("Node", "The node the Pod runs on.", (pod, now) -> textOr(NONE, pod, "spec", "nodeName"))
            .wide(
                    "Nominated Node",
                    "The node on which room is being made for the Pod.",
                    (pod, now) -> textOr(NONE, pod, "status", "nominatedNodeName"))
            .wide(
                    "Readiness Gates",
                    "How many of the further conditions the Pod waits for hold, of how many.",
                    (pod, now) -> readinessGates(pod))
            .build();

    static final List<Column> NODE = ColumnList.named()
            .text("Status", "Whether the node is ready and takes Pods.", (node, now) -> status(node))
            .text("Roles", "What the node is for.", (node, now) -> roles(node))
            .age()
            .text(
                    "Version",
                    "The version of the agent on the node.",
                    (node, now) -> text(node, "status", "nodeInfo", "kubeletVersion"))
            .wide("Internal-IP", "The node's address inside.", (node, now) -> address(node, "InternalIP"))
            .wide("External-IP", "The node's address outside.", (node, now) -> address(node, "ExternalIP"))
            .wide("OS-Image", "The operating system of the node.", (node, now) -> info(node, "osImage"))
            .wide("Kernel-Version", "The kernel of the node.", (node, now) -> info(node, "kernelVersion"))
            .wide(
                    "Container-Runtime",
                    "What runs containers on the node.",
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
        for (JsonNode condition : at(node, "status", "conditions")) {
            if ("Ready".equals(text(condition, "type"))) {
                status = "True".equals(text(condition, "status")) ? "Ready" : "NotReady";
            }
        }
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
        return textOr(Ages.UNKNOWN, node, "status", "nodeInfo", field);
    }
}
