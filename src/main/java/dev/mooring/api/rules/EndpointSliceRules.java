package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ServiceRange;
import java.util.List;
import java.util.Optional;

/**
 * Rules of EndpointSlices. The node connects to their addresses, so those of this machine itself are refused, as in
 * Kubernetes. Stateless; thread-safe.
 */
public final class EndpointSliceRules implements Rules {
    private static final int MAX_ENDPOINTS = 1000;
    private static final int MAX_PORTS = 100;
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    @Override
    public void applyDefaults(ObjectNode object) {
        for (JsonNode port : JsonFields.get(object, "ports")) {
            if (port instanceof ObjectNode each) {
                JsonFields.defaultText(each, "name", "");
                JsonFields.defaultText(each, "protocol", "TCP");
            }
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        String type = JsonFields.text(object, "addressType");
        if (type.isEmpty()) {
            violations.required("addressType", "");
        } else if (!type.equals("IPv4")) {
            violations.notSupported("addressType", type, List.of("IPv4"));
        }
        JsonNode endpoints = JsonFields.get(object, "endpoints");
        if (endpoints.size() > MAX_ENDPOINTS) {
            violations.tooMany("endpoints", endpoints.size(), MAX_ENDPOINTS);
            return;
        }
        // The server publishes the address at which it listens, by default on loopback.
        boolean ofThisServer = JsonFields.text(object, "metadata", "namespace").equals("default")
                && JsonFields.text(object, "metadata", "name").equals("kubernetes");
        for (int i = 0; i < endpoints.size(); i++) {
            JsonNode addresses = JsonFields.get(endpoints.get(i), "addresses");
            String path = "endpoints[" + i + "].addresses";
            if (addresses.isEmpty()) {
                violations.required(path, "must contain at least 1 address");
            }
            for (int j = 0; j < addresses.size(); j++) {
                address(addresses.get(j).asText(""), ofThisServer, path + '[' + j + ']', violations);
            }
        }
        JsonNode ports = JsonFields.get(object, "ports");
        if (ports.size() > MAX_PORTS) {
            violations.tooMany("ports", ports.size(), MAX_PORTS);
        }
        for (int i = 0; i < ports.size() && i < MAX_PORTS; i++) {
            String protocol = JsonFields.text(ports.get(i), "protocol");
            if (!PROTOCOLS.contains(protocol)) {
                violations.notSupported("ports[" + i + "].protocol", protocol, PROTOCOLS);
            }
        }
    }

    private static void address(String text, boolean mayBeLoopback, String path, Violations violations) {
        Optional<Integer> address = ServiceRange.address(text);
        if (address.isEmpty()) {
            violations.invalid(path, text, "must be a valid IPv4 address, e.g. 10.9.8.7");
            return;
        }
        int first = address.get() >>> 24;
        if (address.get() == 0) {
            violations.invalid(path, text, "may not be unspecified (0.0.0.0 or ::)");
        } else if (first == 127 && !mayBeLoopback) {
            violations.invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        } else if (address.get() >>> 16 == (169 << 8 | 254)) {
            violations.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        } else if (first >= 224) {
            violations.invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        if (!JsonFields.text(next, "addressType").equals(JsonFields.text(before, "addressType"))) {
            violations.invalid("addressType", JsonFields.get(next, "addressType"), "field is immutable");
        }
    }
}
