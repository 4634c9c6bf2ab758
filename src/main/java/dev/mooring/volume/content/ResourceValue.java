package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Quantity;
import dev.mooring.volume.VolumeException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.Set;

/**
 * Computes a container's limit or request in units of {@code divisor}, rounded up. As in the kubelet, the node's
 * allocatable amount replaces a missing limit; if that is unknown, and for a missing request, the value is 0.
 * Stateless.
 */
final class ResourceValue {
    private static final Set<String> LIMITED_BY_NODE = Set.of("cpu", "memory", "ephemeral-storage");
    private static final String LIMITS = "limits.";
    private static final String REQUESTS = "requests.";

    private ResourceValue() {}

    static String of(ContentContext context, JsonNode reference) throws VolumeException {
        String resource = reference.path("resource").asText("");
        boolean limit = resource.startsWith(LIMITS);
        String name = resource.substring(resource.indexOf('.') + 1);
        if ((!limit && !resource.startsWith(REQUESTS))
                || (!LIMITED_BY_NODE.contains(name) && !name.startsWith("hugepages-"))) {
            throw VolumeException.clean("InvalidField", "unsupported container resource : " + resource);
        }
        JsonNode resources =
                container(context, reference.path("containerName").asText("")).path("resources");
        Quantity amount = quantity(resources.path(limit ? "limits" : "requests").path(name));
        if (limit && amount.signum() == 0 && LIMITED_BY_NODE.contains(name)) {
            amount = ofNode(context, name);
        }
        return divided(amount, quantity(reference.path("divisor")), name.equals("cpu"));
    }

    private static JsonNode container(ContentContext context, String name) throws VolumeException {
        JsonNode spec = context.pod().path("spec");
        for (String list : new String[] {"containers", "initContainers"}) {
            for (JsonNode each : spec.path(list)) {
                if (each.path("name").asText("").equals(name)) {
                    return each;
                }
            }
        }
        throw VolumeException.clean("InvalidField", "container " + name + " not found");
    }

    private static Quantity ofNode(ContentContext context, String name) throws VolumeException {
        Optional<JsonNode> allocatable = context.node()
                .map(node -> node.path("status").path("allocatable").path(name));
        return allocatable.isPresent() ? quantity(allocatable.get()) : Quantity.ZERO;
    }

    private static Quantity quantity(JsonNode text) throws VolumeException {
        if (text.isMissingNode() || text.isNull()) {
            return Quantity.ZERO;
        }
        try {
            return Quantity.parse(text.asText(""));
        } catch (Quantity.MalformedException e) {
            throw VolumeException.clean("InvalidField", e.getMessage());
        }
    }

    /** Divides amounts. CPU is counted in milli-units, everything else in whole units. */
    private static String divided(Quantity amount, Quantity divisor, boolean thousandths) {
        Quantity by = divisor.signum() == 0 ? Quantity.parse("1") : divisor;
        BigDecimal whole = BigDecimal.valueOf(thousandths ? amount.milliValue() : amount.value());
        BigDecimal part = BigDecimal.valueOf(thousandths ? by.milliValue() : by.value());
        return whole.divide(part, 0, RoundingMode.CEILING).toPlainString();
    }
}
