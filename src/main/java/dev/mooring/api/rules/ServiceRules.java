package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules of Services. There is no service networking: the only Service is {@code default/kubernetes}, which a controller
 * creates. Requests can neither create one nor change its {@code spec}. Stateless; thread-safe.
 */
public final class ServiceRules extends StatusSubresourceRules {
    private static final String NONE =
            "Mooring offers no Services: no cluster IPs, node ports, load balancing or DNS; ";

    @Override
    public void validate(ObjectNode object, Violations violations) {
        // The schema and the metadata rules check everything that can change.
    }

    @Override
    public void validateCreate(ObjectNode object, Violations violations) {
        violations.forbidden("spec", NONE + "publish a container's port on the node with hostPort instead");
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        if (!JsonFields.same(spec, JsonFields.get(before, "spec"))) {
            violations.forbidden("spec", NONE + "this Service is the address of the API, which the server sets");
        }
    }
}
