package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.ServiceRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.Digests;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Service;
import dev.mooring.world.Index;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;

/**
 * Assigns cluster IPs and node ports. Each write that assigns one also replaces ConfigMap
 * {@code kube-system/service-allocations}, with its revision as a precondition. So two writes that choose by the same
 * World conflict, and the second chooses again: no address and no port is assigned twice. The ConfigMap holds no other
 * information and may be deleted. Immutable; thread-safe.
 */
final class ServiceAllocator {
    private static final int FIRST_PORT = 30_000;
    private static final int LAST_PORT = 32_767;
    private static final String PORTS = "ports";
    private static final String NODE_PORT = "nodePort";
    private static final String ALREADY = "provided port is already allocated";
    private static final ObjectKey LOCK = ObjectKey.namespaced("configmaps", "kube-system", "service-allocations");
    private static final ObjectKey API_SERVICE = Service.key("default", "kubernetes");

    /** Services by their address and their node ports. */
    private static final Index<String> BY_ALLOCATION = Index.of(
            "Services by address and node port",
            Scope.resource(Service.RESOURCE),
            service -> List.copyOf(allocations(service.tree())));

    private final Optional<ServiceRange> range;
    private final Set<Integer> reservedPorts;

    /** @param range empty if the server offers no Services */
    ServiceAllocator(Optional<ServiceRange> range, Set<Integer> reservedPorts) {
        this.range = range;
        this.reservedPorts = Set.copyOf(reservedPorts);
    }

    private static Set<String> allocations(JsonNode service) {
        Set<String> values = new HashSet<>();
        String address = JsonFields.text(service, "spec", "clusterIP");
        if (!address.isEmpty() && !ServiceRules.isHeadless(service)) {
            values.add(address);
        }
        for (JsonNode port : JsonFields.get(service, "spec", PORTS)) {
            if (port.path(NODE_PORT).asInt(0) > 0) {
                values.add(Integer.toString(port.path(NODE_PORT).asInt()));
            }
        }
        return values;
    }

    /** Assigns the address and the node ports that the Service needs and does not name, if any is free. */
    void assign(World world, ObjectNode service) {
        if (range.isEmpty() || !(service.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        String type = JsonFields.text(spec, "type");
        int start = ByteBuffer.wrap(Digests.sha256(ObjectJson.text(ObjectJson.metadata(service), "uid")))
                .getInt();
        if (JsonFields.text(spec, "clusterIP").isEmpty() && (type.equals("ClusterIP") || type.equals("NodePort"))) {
            ServiceRange all = range.get();
            probe(start, all.size(), i -> all.isAssignable(all.base() + i) && isFree(world, all.text(all.base() + i)))
                    .ifPresent(i -> {
                        spec.put("clusterIP", all.text(all.base() + i));
                        spec.putArray("clusterIPs").add(all.text(all.base() + i));
                    });
        }
        if (ServiceRules.isNodePort(service)) {
            Set<Integer> own = new HashSet<>();
            JsonFields.get(spec, PORTS)
                    .forEach(each -> own.add(each.path(NODE_PORT).asInt(0)));
            for (JsonNode each : JsonFields.get(spec, PORTS)) {
                if (each instanceof ObjectNode port && port.path(NODE_PORT).asInt(0) == 0) {
                    probe(
                                    start,
                                    LAST_PORT - FIRST_PORT + 1,
                                    i -> !own.contains(FIRST_PORT + i)
                                            && !reservedPorts.contains(FIRST_PORT + i)
                                            && isFree(world, Integer.toString(FIRST_PORT + i)))
                            .ifPresent(i -> {
                                own.add(FIRST_PORT + i);
                                port.put(NODE_PORT, FIRST_PORT + i);
                            });
                }
            }
        }
    }

    private static Optional<Integer> probe(int start, int size, IntPredicate isFree) {
        int first = Math.floorMod(start, size);
        for (int i = 0; i < size; i++) {
            int candidate = (first + i) % size;
            if (isFree.test(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private static boolean isFree(World world, String allocation) {
        return world.index(BY_ALLOCATION).keys(allocation).isEmpty();
    }

    /** Validates the address and the node ports that a Service has and did not have before. */
    void validate(World world, ObjectKey key, ObjectNode next, Optional<ObjectNode> before, Violations violations) {
        if (key.equals(API_SERVICE)) {
            return; // the server publishes it with the address on which the API listens
        }
        if (range.isEmpty()) {
            if (before.isEmpty()) {
                violations.forbidden("spec", "the setting services.range is none, so this server offers no Services");
            }
            return;
        }
        Set<String> had = before.map(ServiceAllocator::allocations).orElse(Set.of());
        String address = JsonFields.text(next, "spec", "clusterIP");
        if (!ServiceRules.isHeadless(next) && !had.contains(address)) {
            validateAddress(world, address, violations);
        }
        JsonNode ports = JsonFields.get(next, "spec", PORTS);
        for (int i = 0; i < ports.size() && ServiceRules.isNodePort(next); i++) {
            int port = ports.get(i).path(NODE_PORT).asInt(0);
            if (!had.contains(Integer.toString(port))) {
                validatePort(world, "spec.ports[" + i + "].nodePort", port, violations);
            }
        }
    }

    private void validateAddress(World world, String text, Violations violations) {
        ServiceRange all = range.orElseThrow();
        Optional<Integer> address = ServiceRange.address(text);
        String field = "spec.clusterIPs";
        if (text.isEmpty()) {
            violations.forbidden(field, "the range " + all + " of the setting services.range has no free address");
        } else if (address.isEmpty()) {
            violations.invalid(field + "[0]", text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        } else if (!all.isAssignable(address.get())) {
            violations.invalid(
                    field,
                    "[" + text + "]",
                    "failed to allocate IP " + text + ": the provided IP (" + text
                            + ") is not in the valid range. The range of valid IPs is " + all);
        } else if (!isFree(world, text)) {
            violations.invalid(
                    field, "[" + text + "]", "failed to allocate IP " + text + ": provided IP is already allocated");
        }
    }

    private static void validatePort(World world, String field, int port, Violations violations) {
        if (port == 0) {
            violations.forbidden(
                    field, "no port from " + FIRST_PORT + " to " + LAST_PORT + " is free; delete a NodePort Service");
        } else if (port < FIRST_PORT || port > LAST_PORT) {
            violations.invalid(
                    field,
                    JsonNodeFactory.instance.numberNode(port),
                    "provided port is not in the valid range. The range of valid ports is " + FIRST_PORT + "-"
                            + LAST_PORT);
        } else if (!isFree(world, Integer.toString(port))) {
            violations.invalid(field, JsonNodeFactory.instance.numberNode(port), ALREADY);
        }
    }

    /** Returns the node ports that a user may not open. */
    List<String> reservedPorts(ObjectNode service) {
        List<String> fields = new ArrayList<>();
        JsonNode ports = JsonFields.get(service, "spec", PORTS);
        for (int i = 0; i < ports.size(); i++) {
            int port = ports.get(i).path(NODE_PORT).asInt(0);
            if (port > 0 && reservedPorts.contains(port)) {
                fields.add("spec.ports[" + i + "].nodePort");
            }
        }
        return fields;
    }

    /** Adds the precondition and the replacement of the ConfigMap if the write assigns an address or a port. */
    void guard(World world, ObjectKey key, ObjectNode next, Optional<ObjectNode> before, Proposal.Builder proposal) {
        Set<String> added = new HashSet<>(allocations(next));
        before.map(ServiceAllocator::allocations).ifPresent(added::removeAll);
        if (added.isEmpty()) {
            return;
        }
        Optional<StoredObject> lock = world.get(LOCK);
        ObjectNode content = lock.map(StoredObject::toTree).orElseGet(() -> created(next));
        content.putObject("data").put("last", key.namespace().orElse("") + '/' + key.name());
        if (lock.isPresent()) {
            proposal.replace(lock.get(), Draft.of(LOCK, content));
        } else {
            proposal.create(Draft.of(LOCK, content));
        }
    }

    private static ObjectNode created(ObjectNode service) {
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        content.put("kind", "ConfigMap").put("apiVersion", "v1");
        ObjectNode metadata = content.putObject("metadata");
        metadata.put("name", LOCK.name()).put("namespace", LOCK.namespace().orElseThrow());
        // Derived from the Service's, so that a repeated decision writes the same object.
        metadata.put(
                "uid",
                UUID.nameUUIDFromBytes(Digests.sha256(LOCK + ObjectJson.text(ObjectJson.metadata(service), "uid")))
                        .toString());
        metadata.set("creationTimestamp", ObjectJson.metadata(service).get("creationTimestamp"));
        metadata.putObject("annotations")
                .put("kubernetes.io/description", "Serializes the assignment of cluster IPs and node ports.");
        return content;
    }
}
