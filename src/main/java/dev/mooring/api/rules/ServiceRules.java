package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of Services: types ClusterIP (also headless) and NodePort, IPv4, TCP for Services with an address. Admission
 * assigns addresses and node ports; the ledger keeps them unique. Stateless; thread-safe.
 */
public final class ServiceRules extends StatusSubresourceRules {
    private static final String SPEC = "spec";
    private static final String CLUSTER_IP = "clusterIP";
    private static final String CLUSTER_IPS = "clusterIPs";
    private static final String NODE_PORT = "NodePort";
    private static final String NONE = "None";
    private static final List<String> TYPES = List.of("ClusterIP", NODE_PORT);
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final int AFFINITY_SECONDS = 10_800;
    private static final int MAX_AFFINITY_SECONDS = 86_400;

    /** Maximum number of ports; each is a listener. */
    private static final int MAX_PORTS = 100;

    /** Returns whether the Service opens ports of the machine. */
    public static boolean isNodePort(JsonNode service) {
        return JsonFields.text(service, SPEC, "type").equals(NODE_PORT);
    }

    public static boolean isHeadless(JsonNode service) {
        return JsonFields.text(service, SPEC, CLUSTER_IP).equals(NONE);
    }

    /** Keeps the assigned address and node ports if the request does not name them, as in Kubernetes. */
    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
        ObjectNode spec = JsonFields.object(next, SPEC);
        if (JsonFields.text(spec, CLUSTER_IP).isEmpty()) {
            JsonFields.takeFrom(JsonFields.object(before.deepCopy(), SPEC), CLUSTER_IP, spec);
        }
        if (!JsonFields.text(spec, CLUSTER_IP).equals(JsonFields.text(before, SPEC, CLUSTER_IP))
                && JsonFields.same(JsonFields.get(spec, CLUSTER_IPS), JsonFields.get(before, SPEC, CLUSTER_IPS))) {
            spec.remove(CLUSTER_IPS);
        }
        boolean opensPorts = isNodePort(next);
        for (JsonNode each : JsonFields.get(spec, "ports")) {
            if (!(each instanceof ObjectNode port)) {
                continue;
            }
            for (JsonNode was : JsonFields.get(before, SPEC, "ports")) {
                boolean same = was.path("port").asInt() == port.path("port").asInt()
                        && was.path("protocol")
                                .asText("TCP")
                                .equals(port.path("protocol").asText("TCP"));
                if (same && was.path("nodePort").asInt(0) > 0) {
                    if (opensPorts && port.path("nodePort").asInt(0) == 0) {
                        port.set("nodePort", was.get("nodePort"));
                    } else if (!opensPorts && port.path("nodePort").equals(was.path("nodePort"))) {
                        port.remove("nodePort");
                    }
                }
            }
        }
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = JsonFields.object(object, SPEC);
        JsonFields.defaultText(spec, "type", "ClusterIP");
        JsonFields.defaultText(spec, "sessionAffinity", NONE);
        if (JsonFields.text(spec, "sessionAffinity").equals("ClientIP")) {
            ObjectNode client = JsonFields.object(JsonFields.object(spec, "sessionAffinityConfig"), "clientIP");
            if (!JsonFields.has(client, "timeoutSeconds")) {
                client.put("timeoutSeconds", AFFINITY_SECONDS);
            }
        } else {
            spec.remove("sessionAffinityConfig");
        }
        JsonFields.defaultText(spec, "internalTrafficPolicy", "Cluster");
        if (isNodePort(object)) {
            JsonFields.defaultText(spec, "externalTrafficPolicy", "Cluster");
        } else {
            spec.remove("externalTrafficPolicy");
        }
        JsonFields.defaultText(spec, "ipFamilyPolicy", "SingleStack");
        if (JsonFields.get(spec, "ipFamilies").isEmpty()) {
            spec.putArray("ipFamilies").add("IPv4");
        }
        ArrayNode addresses = spec.get(CLUSTER_IPS) instanceof ArrayNode some ? some : spec.arrayNode();
        if (JsonFields.text(spec, CLUSTER_IP).isEmpty() && !addresses.isEmpty()) {
            spec.put(CLUSTER_IP, addresses.get(0).asText(""));
        } else if (!JsonFields.text(spec, CLUSTER_IP).isEmpty() && addresses.isEmpty()) {
            spec.putArray(CLUSTER_IPS).add(JsonFields.text(spec, CLUSTER_IP));
        }
        for (JsonNode each : JsonFields.get(spec, "ports")) {
            if (each instanceof ObjectNode port) {
                JsonFields.defaultText(port, "protocol", "TCP");
                JsonNode target = port.path("targetPort");
                if (port.path("port").isInt() && (target.isMissingNode() || target.isNull() || isZero(target))) {
                    port.put("targetPort", port.path("port").asInt());
                }
            }
        }
    }

    private static boolean isZero(JsonNode target) {
        return target.isNumber() ? target.asInt() == 0 : target.asText("").isEmpty();
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, SPEC);
        String type = JsonFields.text(spec, "type");
        switch (type) {
            case "ClusterIP", NODE_PORT -> {
                // supported
            }
            case "LoadBalancer" ->
                violations.forbidden(
                        "spec.type",
                        "Mooring offers no load balancers: use type NodePort, which opens a port of the machine");
            case "ExternalName" ->
                violations.forbidden(
                        "spec.type",
                        "Mooring offers no aliases of external names: use the external name itself, for example from a"
                                + " ConfigMap");
            default -> violations.notSupported("spec.type", type, TYPES);
        }
        if (!JsonFields.get(spec, "externalIPs").isEmpty()) {
            violations.forbidden("spec.externalIPs", "Mooring opens no other addresses: use type NodePort");
        }
        LabelRules.labels(JsonFields.get(spec, "selector"), "spec.selector", violations);
        families(spec, violations);
        affinity(spec, violations);
        addresses(spec, type, violations);
        ports(spec, type, violations);
    }

    private static void families(JsonNode spec, Violations violations) {
        String policy = JsonFields.text(spec, "ipFamilyPolicy");
        if (policy.equals("RequireDualStack")) {
            violations.forbidden("spec.ipFamilyPolicy", "Services have IPv4 addresses only: use SingleStack");
        } else if (!policy.equals("SingleStack") && !policy.equals("PreferDualStack")) {
            violations.notSupported(
                    "spec.ipFamilyPolicy", policy, List.of("PreferDualStack", "RequireDualStack", "SingleStack"));
        }
        JsonNode families = JsonFields.get(spec, "ipFamilies");
        for (int i = 0; i < families.size(); i++) {
            if (!families.get(i).asText("").equals("IPv4")) {
                violations.notSupported(
                        "spec.ipFamilies[" + i + ']', families.get(i).asText(""), List.of("IPv4"));
            }
        }
    }

    private static void affinity(JsonNode spec, Violations violations) {
        String affinity = JsonFields.text(spec, "sessionAffinity");
        if (!affinity.equals("ClientIP") && !affinity.equals(NONE)) {
            violations.notSupported("spec.sessionAffinity", affinity, List.of("ClientIP", NONE));
        }
        JsonNode seconds = JsonFields.get(JsonFields.get(spec, "sessionAffinityConfig", "clientIP"), "timeoutSeconds");
        if (!seconds.isMissingNode() && (seconds.asInt() <= 0 || seconds.asInt() > MAX_AFFINITY_SECONDS)) {
            violations.invalid(
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                    seconds,
                    "must be greater than 0 and less than " + MAX_AFFINITY_SECONDS);
        }
    }

    private static void addresses(JsonNode spec, String type, Violations violations) {
        String address = JsonFields.text(spec, CLUSTER_IP);
        if (address.equals(NONE) && type.equals(NODE_PORT)) {
            violations.invalid("spec.clusterIPs[0]", address, "may not be set to 'None' for NodePort services");
        }
        JsonNode all = JsonFields.get(spec, CLUSTER_IPS);
        if (all.size() > 1) {
            violations.invalid("spec.clusterIPs", all, "may only hold up to 1 values");
        } else if (all.size() == 1 && !all.get(0).asText("").equals(address)) {
            violations.invalid("spec.clusterIPs", all, "first value must match `clusterIP`");
        }
    }

    private static void ports(JsonNode spec, String type, Violations violations) {
        JsonNode ports = JsonFields.get(spec, "ports");
        boolean headless = JsonFields.text(spec, CLUSTER_IP).equals(NONE);
        if (ports.isEmpty() && !headless) {
            violations.required("spec.ports", "");
        }
        if (ports.size() > MAX_PORTS) {
            violations.tooMany("spec.ports", ports.size(), MAX_PORTS);
            return;
        }
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        Set<Integer> nodePorts = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.get(i);
            String path = "spec.ports[" + i + ']';
            String name = JsonFields.text(port, "name");
            if (name.isEmpty() && ports.size() > 1) {
                violations.required(path + ".name", "");
            } else if (!name.isEmpty()) {
                LabelRules.invalid(path + ".name", name, NameSyntax.dns1123Label(name), violations);
                if (!names.add(name)) {
                    violations.duplicate(path + ".name", port.get("name"));
                }
            }
            inRange(port, "port", path, violations);
            target(JsonFields.get(port, "targetPort"), path + ".targetPort", violations);
            protocol(JsonFields.text(port, "protocol"), headless, path + ".protocol", violations);
            if (!numbers.add(port.path("port").asInt() + JsonFields.text(port, "protocol"))) {
                violations.duplicate(path, port);
            }
            int nodePort = port.path("nodePort").asInt(0);
            if (nodePort != 0 && !type.equals(NODE_PORT)) {
                violations.forbidden(path + ".nodePort", "may not be used when `type` is '" + type + "'");
            } else if (nodePort != 0 && !nodePorts.add(nodePort)) {
                violations.duplicate(path + ".nodePort", port.get("nodePort"));
            }
        }
    }

    private static void inRange(JsonNode port, String field, String path, Violations violations) {
        int number = port.path(field).asInt(0);
        if (number < 1 || number > 65_535) {
            violations.invalid(path + '.' + field, port.path(field), NameSyntax.between(1, 65_535));
        }
    }

    private static void target(JsonNode target, String path, Violations violations) {
        if (target.isTextual()) {
            LabelRules.invalid(path, target.asText(), NameSyntax.portName(target.asText()), violations);
        } else if (target.asInt(0) < 1 || target.asInt(0) > 65_535) {
            violations.invalid(path, target, NameSyntax.between(1, 65_535));
        }
    }

    private static void protocol(String protocol, boolean headless, String path, Violations violations) {
        if (!PROTOCOLS.contains(protocol)) {
            violations.notSupported(path, protocol, PROTOCOLS);
        } else if (!headless && !protocol.equals("TCP")) {
            violations.forbidden(
                    path,
                    "Mooring forwards only TCP: make the Service headless (clusterIP: None), whose name has the"
                            + " addresses of the Pods themselves");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        String address = JsonFields.text(next, SPEC, CLUSTER_IP);
        String was = JsonFields.text(before, SPEC, CLUSTER_IP);
        if (!was.isEmpty() && !address.equals(was)) {
            violations.invalid("spec.clusterIPs[0]", address, "may not change once set");
        }
    }
}
