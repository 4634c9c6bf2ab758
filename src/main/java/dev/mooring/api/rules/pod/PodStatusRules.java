package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Fields;
import java.util.Set;

/** What the status of a Pod may be and become: what has ended for good does not run again. Stateless. */
final class PodStatusRules {
    private static final Set<String> OF_KUBERNETES = Set.of("PodScheduled", "Ready", "Initialized");
    private static final String GATED = "Scheduling is blocked due to non-empty scheduling gates";
    private static final String NOT_NEGATIVE = "must be a non-negative integer";

    private PodStatusRules() {}

    /** The status of a Pod nobody has looked at yet. */
    static void begin(ObjectNode pod) {
        ObjectNode status = pod.putObject("status");
        status.put("phase", "Pending");
        JsonNode spec = Fields.get(pod, "spec");
        if (!Fields.get(spec, "schedulingGates").isEmpty()) {
            ObjectNode condition = status.putArray("conditions").addObject();
            condition.put("type", "PodScheduled");
            condition.put("status", "False");
            condition.put("reason", "SchedulingGated");
            condition.put("message", GATED);
        }
        status.put("qosClass", QosClass.of(spec).text());
    }

    /** Keeps what a writer of the status need not repeat, and the two ways to write addresses in step. */
    static void complete(ObjectNode next, ObjectNode before) {
        if (!(next.get("status") instanceof ObjectNode)) {
            return;
        }
        ObjectNode status = (ObjectNode) next.get("status");
        String qosClass = Fields.text(before, "status", "qosClass");
        if (!qosClass.isEmpty()) {
            Fields.defaultText(status, "qosClass", qosClass);
        }
        String address = Fields.text(status, "podIP");
        JsonNode all = Fields.get(status, "podIPs");
        if (address.isEmpty() && !all.isEmpty()) {
            status.put("podIP", Fields.text(all.get(0), "ip"));
        } else if (!address.isEmpty()
                && (all.isEmpty() || !Fields.text(all.get(0), "ip").equals(address))) {
            status.putArray("podIPs").addObject().put("ip", address);
        }
    }

    static void check(Spot next, JsonNode before) {
        Spot status = next.at("status");
        JsonNode old = Fields.get(before, "status");
        checkConditions(status.at("conditions"));
        checkNominated(status.at("nominatedNodeName"), old, Fields.text(before, "spec", "nodeName"));
        if (status.number("observedGeneration") < 0) {
            status.at("observedGeneration").invalid(NOT_NEGATIVE);
        }
        Spot qosClass = status.at("qosClass");
        if (!Fields.text(old, "qosClass").isEmpty()
                && !Fields.text(old, "qosClass").equals(qosClass.text())) {
            qosClass.invalid(qosClass.text(), "field is immutable");
        }
        checkStates(status, old, "containerStatuses", Fields.get(before, "spec"));
        checkStates(status, old, "initContainerStatuses", Fields.get(before, "spec"));
        checkStates(status, old, "ephemeralContainerStatuses", Fields.get(before, "spec"));
        checkAddresses(status.at("podIPs"));
        Spot hosts = status.at("hostIPs");
        if (!hosts.value().isEmpty() && !hosts.at(0).text("ip").equals(status.text("hostIP"))) {
            hosts.at(0).at("ip").invalid(hosts.at(0).text("ip"), "must be equal to `hostIP`");
        }
        checkAddresses(hosts);
    }

    private static void checkConditions(Spot conditions) {
        for (Spot condition : conditions.each()) {
            if (condition.number("observedGeneration") < 0) {
                condition.at("observedGeneration").invalid(NOT_NEGATIVE);
            }
            if (!OF_KUBERNETES.contains(condition.text("type"))) {
                Spelled.qualifiedName(condition.at("Type"), condition.text("type"));
            }
        }
    }

    private static void checkNominated(Spot nominated, JsonNode old, String bound) {
        if (nominated.text().isEmpty() || nominated.text().equals(Fields.text(old, "nominatedNodeName"))) {
            return;
        }
        Spelled.subdomain(nominated);
        if (!bound.isEmpty()) {
            nominated.forbidden("may not be set on pods that are already bound to a node");
        }
    }

    private static void checkStates(Spot status, JsonNode old, String list, JsonNode spec) {
        JsonNode then = Fields.get(old, list);
        for (int i = 0; i < then.size(); i++) {
            JsonNode ended = Fields.get(then.get(i), "state", "terminated");
            if (ended.isMissingNode() || mayRunAgain(then.get(i), ended, list, spec)) {
                continue;
            }
            for (Spot now : status.each(list)) {
                if (now.text("name").equals(Fields.text(then.get(i), "name"))
                        && !now.at("state").has("terminated")) {
                    status.at(list).at(i).at("state").forbidden("may not be transitioned to non-terminated state");
                }
            }
        }
    }

    private static boolean mayRunAgain(JsonNode container, JsonNode ended, String list, JsonNode spec) {
        if (list.startsWith("ephemeral")) {
            return false;
        }
        String policy = Fields.text(spec, "restartPolicy");
        if (policy.equals("Always")
                || (policy.equals("OnFailure") && ended.path("exitCode").asInt(0) != 0)) {
            return true;
        }
        if (list.startsWith("init")) {
            for (JsonNode each : Fields.get(spec, "initContainers")) {
                if (Fields.text(each, "name").equals(Fields.text(container, "name"))) {
                    return Fields.text(each, "restartPolicy").equals(Containers.ALWAYS);
                }
            }
        }
        return false;
    }

    private static void checkAddresses(Spot addresses) {
        int version4 = 0;
        for (Spot address : addresses.each()) {
            String text = address.text("ip");
            HostNaming.checkAddress(address, text);
            version4 += Addresses.isVersion4(text) ? 1 : 0;
        }
        int count = addresses.value().size();
        if (count > 2 || (count == 2 && version4 != 1)) {
            addresses.invalid("may specify no more than one IP for each IP family");
        }
    }
}
