package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.model.Quantity;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Rules of the status of a Pod: a terminated container that must not restart cannot run again. Stateless. */
final class PodStatusRules {
    private static final Set<String> OF_KUBERNETES = Set.of("PodScheduled", "Ready", "Initialized");
    private static final String GATED = "Scheduling is blocked due to non-empty scheduling gates";
    private static final String NOT_NEGATIVE = "must be a non-negative integer";

    private PodStatusRules() {}

    /** Sets the initial status of a new Pod. */
    static void initialize(ObjectNode pod) {
        ObjectNode status = pod.putObject("status");
        status.put("phase", "Pending");
        JsonNode spec = JsonFields.get(pod, "spec");
        if (!JsonFields.get(spec, "schedulingGates").isEmpty()) {
            ObjectNode condition = status.putArray("conditions").addObject();
            condition.put("type", "PodScheduled");
            condition.put("status", "False");
            condition.put("reason", "SchedulingGated");
            condition.put("message", GATED);
        }
        status.put("qosClass", QosClass.of(spec).text());
    }

    /** Restores fields that a status update may omit, and synchronizes the two address fields. */
    static void complete(ObjectNode next, ObjectNode before) {
        if (!(next.get("status") instanceof ObjectNode)) {
            return;
        }
        ObjectNode status = (ObjectNode) next.get("status");
        String qosClass = JsonFields.text(before, "status", "qosClass");
        if (!qosClass.isEmpty()) {
            JsonFields.defaultText(status, "qosClass", qosClass);
        }
        String address = JsonFields.text(status, "podIP");
        JsonNode all = JsonFields.get(status, "podIPs");
        if (address.isEmpty() && !all.isEmpty()) {
            status.put("podIP", JsonFields.text(all.get(0), "ip"));
        } else if (!address.isEmpty()
                && (all.isEmpty() || !JsonFields.text(all.get(0), "ip").equals(address))) {
            status.putArray("podIPs").addObject().put("ip", address);
        }
    }

    static void check(FieldCursor next, JsonNode before) {
        FieldCursor status = next.at("status");
        JsonNode old = JsonFields.get(before, "status");
        checkConditions(status.at("conditions"));
        checkNominated(status.at("nominatedNodeName"), old, JsonFields.text(before, "spec", "nodeName"));
        if (status.number("observedGeneration") < 0) {
            status.at("observedGeneration").invalid(NOT_NEGATIVE);
        }
        FieldCursor qosClass = status.at("qosClass");
        if (!JsonFields.text(old, "qosClass").isEmpty()
                && !JsonFields.text(old, "qosClass").equals(qosClass.text())) {
            qosClass.invalid(qosClass.text(), "field is immutable");
        }
        checkStates(status, old, "containerStatuses", JsonFields.get(before, "spec"));
        checkStates(status, old, "initContainerStatuses", JsonFields.get(before, "spec"));
        checkStates(status, old, "ephemeralContainerStatuses", JsonFields.get(before, "spec"));
        checkAddresses(status.at("podIPs"));
        FieldCursor hosts = status.at("hostIPs");
        if (!hosts.value().isEmpty() && !hosts.at(0).text("ip").equals(status.text("hostIP"))) {
            hosts.at(0).at("ip").invalid(hosts.at(0).text("ip"), "must be equal to `hostIP`");
        }
        checkAddresses(hosts);
    }

    private static void checkConditions(FieldCursor conditions) {
        for (FieldCursor condition : conditions.each()) {
            if (condition.number("observedGeneration") < 0) {
                condition.at("observedGeneration").invalid(NOT_NEGATIVE);
            }
            if (!OF_KUBERNETES.contains(condition.text("type"))) {
                NameValidation.qualifiedName(condition.at("Type"), condition.text("type"));
            }
        }
    }

    private static void checkNominated(FieldCursor nominated, JsonNode old, String bound) {
        if (nominated.text().isEmpty() || nominated.text().equals(JsonFields.text(old, "nominatedNodeName"))) {
            return;
        }
        NameValidation.subdomain(nominated);
        if (!bound.isEmpty()) {
            nominated.forbidden("may not be set on pods that are already bound to a node");
        }
    }

    private static void checkStates(FieldCursor status, JsonNode old, String list, JsonNode spec) {
        JsonNode then = JsonFields.get(old, list);
        for (int i = 0; i < then.size(); i++) {
            JsonNode ended = JsonFields.get(then.get(i), "state", "terminated");
            if (ended.isMissingNode() || mayRunAgain(then.get(i), ended, list, spec)) {
                continue;
            }
            for (FieldCursor now : status.each(list)) {
                if (now.text("name").equals(JsonFields.text(then.get(i), "name"))
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
        String policy = JsonFields.text(spec, "restartPolicy");
        if (policy.equals("Always")
                || (policy.equals("OnFailure") && ended.path("exitCode").asInt(0) != 0)) {
            return true;
        }
        if (list.startsWith("init")) {
            for (JsonNode each : JsonFields.get(spec, "initContainers")) {
                if (JsonFields.text(each, "name").equals(JsonFields.text(container, "name"))) {
                    return JsonFields.text(each, "restartPolicy").equals(ContainerRules.ALWAYS);
                }
            }
        }
        return false;
    }

    private static void checkAddresses(FieldCursor addresses) {
        int version4 = 0;
        for (FieldCursor address : addresses.each()) {
            String text = address.text("ip");
            HostNameRules.checkAddress(address, text);
            version4 += IpAddresses.isVersion4(text) ? 1 : 0;
        }
        int count = addresses.value().size();
        if (count > 2 || (count == 2 && version4 != 1)) {
            addresses.invalid("may specify no more than one IP for each IP family");
        }
    }

    /** The QoS class of a Pod, which decides the order of eviction under resource pressure. */
    private enum QosClass {
        GUARANTEED("Guaranteed"),
        BURSTABLE("Burstable"),
        BEST_EFFORT("BestEffort");

        private static final String[] COUNTED = {"cpu", "memory"};

        private final String text;

        QosClass(String text) {
            this.text = text;
        }

        /** Returns the value of {@code status.qosClass}. */
        String text() {
            return text;
        }

        static QosClass of(JsonNode spec) {
            Sums sums = new Sums();
            JsonNode ofPod = JsonFields.get(spec, "resources");
            if (!JsonFields.get(ofPod, "limits").isEmpty()
                    || !JsonFields.get(ofPod, "requests").isEmpty()) {
                sums.add(ofPod);
            } else {
                JsonFields.get(spec, "containers")
                        .forEach(container -> sums.add(JsonFields.get(container, "resources")));
                JsonFields.get(spec, "initContainers")
                        .forEach(container -> sums.add(JsonFields.get(container, "resources")));
            }
            if (sums.requests.isEmpty() && sums.limits.isEmpty()) {
                return BEST_EFFORT;
            }
            return sums.allLimited && sums.requests.equals(sums.limits) ? GUARANTEED : BURSTABLE;
        }

        private static final class Sums {
            private final Map<String, Quantity> requests = new HashMap<>();
            private final Map<String, Quantity> limits = new HashMap<>();
            private boolean allLimited = true;

            private void add(JsonNode resources) {
                JsonNode limited = JsonFields.get(resources, "limits");
                JsonNode requested = JsonFields.get(resources, "requests");
                for (String name : COUNTED) {
                    Quantity limit = QuantityRules.parse(limited.path(name));
                    // A limit without a request is also the request.
                    Quantity request = requested.has(name) ? QuantityRules.parse(requested.path(name)) : limit;
                    allLimited &= limit.signum() > 0;
                    if (limit.signum() > 0) {
                        limits.merge(name, limit, Quantity::plus);
                    }
                    if (request.signum() > 0) {
                        requests.merge(name, request, Quantity::plus);
                    }
                }
            }
        }
    }
}
