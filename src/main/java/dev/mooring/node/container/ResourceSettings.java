package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.volume.ObjectLookup;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The resource settings of a container, computed like the kubelet. Stateless. */
final class ResourceSettings {
    /** The sandbox is among the last processes to be OOM-killed. */
    private static final int SANDBOX_OOM = -998;

    private static final int GUARANTEED_OOM = -997;
    private static final int BEST_EFFORT_OOM = 1000;
    private static final long CRITICAL_PRIORITY = 2_000_000_000;

    private static final long MIN_SHARES = 2;
    private static final long MAX_SHARES = 262_144;
    private static final long SHARES_OF_ONE = 1024;
    private static final long MILLIS_OF_ONE = 1000;
    private static final long NANOS_OF_MILLI = 1_000_000;

    /** The kernel's minimum: a hundredth of a CPU. */
    private static final long MIN_NANOS = 10_000_000;

    private ResourceSettings() {}

    /**
     * Returns the settings of a sandbox.
     *
     * @param pids maximum number of processes and threads of a container
     */
    static ContainerResources ofSandbox(OptionalLong pids) {
        return new ContainerResources(
                OptionalLong.empty(),
                OptionalLong.of(MIN_SHARES),
                OptionalLong.empty(),
                pids,
                OptionalInt.of(SANDBOX_OOM),
                OptionalLong.empty());
    }

    /**
     * Returns the settings of a container.
     *
     * @param pids maximum number of processes and threads of a container
     */
    static ContainerResources of(Pod pod, JsonNode container, ObjectLookup objects, OptionalLong pids)
            throws ConfigException {
        JsonNode capacity = capacity(pod, objects);
        JsonNode limits = container.path("resources").path("limits");
        JsonNode requests = container.path("resources").path("requests");
        Quantity cpuLimit = quantity(limits.path("cpu"));
        Quantity cpuRequest = quantity(requests.path("cpu"));
        Quantity memoryLimit = quantity(limits.path("memory"));
        return new ContainerResources(
                nanos(cpuLimit),
                OptionalLong.of(shares(cpuRequest.signum() == 0 ? cpuLimit : cpuRequest)),
                memoryLimit.signum() == 0 ? OptionalLong.empty() : OptionalLong.of(memoryLimit.value()),
                pids,
                OptionalInt.of(oomScore(
                        pod, container, quantity(capacity.path("memory")).value())),
                OptionalLong.empty());
    }

    private static JsonNode capacity(Pod pod, ObjectLookup objects) {
        Optional<ObjectNode> node = pod.isScheduled() ? objects.find(Node.key(pod.nodeName())) : Optional.empty();
        return node.map(found -> found.path("status").path("capacity")).orElse(MissingNode.getInstance());
    }

    private static OptionalLong nanos(Quantity limit) {
        return limit.signum() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(MIN_NANOS, limit.milliValue() * NANOS_OF_MILLI));
    }

    private static long shares(Quantity request) {
        long shares = request.milliValue() * SHARES_OF_ONE / MILLIS_OF_ONE;
        return Math.max(MIN_SHARES, Math.min(MAX_SHARES, shares));
    }

    private static int oomScore(Pod pod, JsonNode container, long memory) throws ConfigException {
        String quality = pod.status().path("qosClass").asText("");
        if (quality.equals("Guaranteed") || pod.spec().path("priority").asLong(0) >= CRITICAL_PRIORITY) {
            return GUARANTEED_OOM;
        }
        if (quality.equals("BestEffort")) {
            return BEST_EFFORT_OOM;
        }
        long score = score(memoryRequest(container), memory);
        if (isSidecar(container)) {
            // A sidecar is not killed before the containers it serves.
            score = Math.min(score, score(leastMemoryRequest(pod), memory));
        }
        long least = (long) BEST_EFFORT_OOM + GUARANTEED_OOM;
        return (int) Math.max(least, Math.min(score, BEST_EFFORT_OOM - 1));
    }

    /** Returns the oom_score_adj: the higher the memory request, the lower. */
    private static long score(long request, long memory) {
        return memory == 0 ? BEST_EFFORT_OOM : BEST_EFFORT_OOM - BEST_EFFORT_OOM * request / memory;
    }

    private static long memoryRequest(JsonNode container) throws ConfigException {
        JsonNode resources = container.path("resources");
        JsonNode request = resources.path("requests").path("memory");
        return quantity(request.isMissingNode() ? resources.path("limits").path("memory") : request)
                .value();
    }

    private static long leastMemoryRequest(Pod pod) throws ConfigException {
        long least = Long.MAX_VALUE;
        for (JsonNode each : pod.spec().path("containers")) {
            least = Math.min(least, memoryRequest(each));
        }
        return least == Long.MAX_VALUE ? 0 : least;
    }

    /** Returns whether it is a sidecar; only init containers have their own restartPolicy. */
    static boolean isSidecar(JsonNode container) {
        return container.path("restartPolicy").asText("").equals("Always");
    }

    private static Quantity quantity(JsonNode value) throws ConfigException {
        if (value.isMissingNode() || value.isNull()) {
            return Quantity.ZERO;
        }
        try {
            return Quantity.parse(value.asText(""));
        } catch (Quantity.MalformedException e) {
            throw ConfigException.configError(e.getMessage());
        }
    }

    /** Returns the settings without a lowered oom_score_adj, for machines that do not allow it. */
    static ContainerResources withoutOomProtection(ContainerResources wanted) {
        boolean favoured = wanted.oomScore().isPresent() && wanted.oomScore().getAsInt() < 0;
        return favoured
                ? new ContainerResources(
                        wanted.cpuNanos(),
                        wanted.cpuShares(),
                        wanted.memoryBytes(),
                        wanted.pids(),
                        OptionalInt.empty(),
                        wanted.sharedMemoryBytes())
                : wanted;
    }
}
