package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * What a Pod takes up on a node while it is there. Immutable.
 *
 * @param cpuMillis thousandths of a processor it asks for, 0 if it does not say
 * @param memory bytes it asks for, 0 if it does not say
 * @param ports of the host that it listens at
 */
record Needs(long cpuMillis, long memory, List<HostPort> ports) {
    private static final String ANY_ADDRESS = "0.0.0.0";

    /** More than any machine has, and little enough that the sum over a node's Pods is exact and can be taken back. */
    private static final long MOST = 1L << 50;

    /** A port of the host. */
    record HostPort(String address, String protocol, int port) {
        /** Whether not both can be had on one node. */
        boolean clashesWith(HostPort other) {
            return port == other.port
                    && protocol.equals(other.protocol)
                    && (address.equals(other.address)
                            || address.equals(ANY_ADDRESS)
                            || other.address.equals(ANY_ADDRESS));
        }
    }

    Needs {
        ports = List.copyOf(ports);
    }

    static Needs of(Pod pod) {
        return new Needs(amount(pod.spec(), "cpu"), amount(pod.spec(), "memory"), ports(pod.spec()));
    }

    /** What a Pod says for all of it, or else the most that its containers need at the same time; and what running it costs. */
    private static long amount(JsonNode spec, String resource) {
        long overhead = read(spec.path("overhead"), resource);
        JsonNode whole = spec.path("resources").path("requests");
        return plus(whole.has(resource) ? read(whole, resource) : atOnce(spec, resource), overhead);
    }

    /** Containers that prepare run one after another, before the others; those among them that stay run beside all that follow. */
    private static long atOnce(JsonNode spec, String resource) {
        long staying = 0;
        long preparing = 0;
        for (JsonNode container : spec.path("initContainers")) {
            long asked = read(container.path("resources").path("requests"), resource);
            if (container.path("restartPolicy").asText("").equals("Always")) {
                staying = plus(staying, asked);
                preparing = Math.max(preparing, staying);
            } else {
                preparing = Math.max(preparing, plus(staying, asked));
            }
        }
        long running = staying;
        for (JsonNode container : spec.path("containers")) {
            running = plus(running, read(container.path("resources").path("requests"), resource));
        }
        return Math.max(running, preparing);
    }

    /** An amount in a list of resources: thousandths of a cpu, whole numbers of everything else; 0 if it is not said. */
    static long read(JsonNode resources, String resource) {
        JsonNode value = resources.path(resource);
        if (!value.isValueNode()) {
            return 0;
        }
        try {
            Quantity quantity = Quantity.parse(value.asText());
            long amount = resource.equals("cpu") ? quantity.milliValue() : quantity.value();
            return Math.min(MOST, Math.max(0, amount));
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

    /** The sum of two amounts, neither below 0. */
    static long plus(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
