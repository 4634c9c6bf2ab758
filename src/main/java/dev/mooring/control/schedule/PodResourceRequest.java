package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * The resources that a Pod uses on its node. Immutable.
 *
 * @param cpuMillis requested CPU in millicores; 0 if not set
 * @param memory requested bytes; 0 if not set
 * @param ports host ports
 */
record PodResourceRequest(long cpuMillis, long memory, List<HostPort> ports) {
    private static final String ANY_ADDRESS = "0.0.0.0";

    /** Upper bound of an amount: more than any machine has, and small enough that sums over a node's Pods are exact. */
    private static final long MAX_AMOUNT = 1L << 50;

    /** A port of the host. */
    record HostPort(String address, String protocol, int port) {
        /** Returns whether both ports cannot be used on one node. */
        boolean conflictsWith(HostPort other) {
            return port == other.port
                    && protocol.equals(other.protocol)
                    && (address.equals(other.address)
                            || address.equals(ANY_ADDRESS)
                            || other.address.equals(ANY_ADDRESS));
        }
    }

    PodResourceRequest {
        ports = List.copyOf(ports);
    }

    static PodResourceRequest of(Pod pod) {
        return new PodResourceRequest(amount(pod.spec(), "cpu"), amount(pod.spec(), "memory"), ports(pod.spec()));
    }

    /**
     * Returns the Pod-level request, or otherwise the maximum that its containers need at the same time; plus the Pod
     * overhead.
     */
    private static long amount(JsonNode spec, String resource) {
        long overhead = parseAmount(spec.path("overhead"), resource);
        JsonNode whole = spec.path("resources").path("requests");
        return saturatedSum(
                whole.has(resource) ? parseAmount(whole, resource) : concurrentRequest(spec, resource), overhead);
    }

    /**
     * Returns the maximum concurrent request: init containers run one after another before the others; sidecars run
     * beside all that follow.
     */
    private static long concurrentRequest(JsonNode spec, String resource) {
        long staying = 0;
        long preparing = 0;
        for (JsonNode container : spec.path("initContainers")) {
            long requested = parseAmount(container.path("resources").path("requests"), resource);
            if (container.path("restartPolicy").asText("").equals("Always")) {
                staying = saturatedSum(staying, requested);
                preparing = Math.max(preparing, staying);
            } else {
                preparing = Math.max(preparing, saturatedSum(staying, requested));
            }
        }
        long running = staying;
        for (JsonNode container : spec.path("containers")) {
            running = saturatedSum(
                    running, parseAmount(container.path("resources").path("requests"), resource));
        }
        return Math.max(running, preparing);
    }

    /** Returns an amount in a resource list: millicores of CPU, whole units otherwise; 0 if not set. */
    static long parseAmount(JsonNode resources, String resource) {
        JsonNode value = resources.path(resource);
        if (!value.isValueNode()) {
            return 0;
        }
        try {
            Quantity quantity = Quantity.parse(value.asText());
            long amount = resource.equals("cpu") ? quantity.milliValue() : quantity.value();
            return Math.min(MAX_AMOUNT, Math.max(0, amount));
        } catch (Quantity.MalformedException e) {
            return 0;
        }
    }

    private static List<HostPort> ports(JsonNode spec) {
        List<HostPort> ports = new ArrayList<>();
        for (JsonNode container : spec.path("containers")) {
            for (JsonNode each : container.path("ports")) {
                int port = each.path("hostPort").asInt(0);
                if (port > 0) {
                    String address = each.path("hostIP").asText("");
                    ports.add(new HostPort(
                            address.isEmpty() ? ANY_ADDRESS : address,
                            each.path("protocol").asText("TCP"),
                            port));
                }
            }
        }
        return ports;
    }

    /** Returns the sum of two non-negative amounts. */
    static long saturatedSum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
