package dev.mooring.node.container;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of a Pod's status. Immutable.
 *
 * @param containers init containers first, each list in the Pod's order
 * @param sandbox the newest
 * @param unhealthyVolumes problems of mounted volumes, by their names within the Pod
 * @param failure why the Pod as a whole has failed, independent of its containers
 * @param nodeAddress "" if unknown
 */
public record ObservedPod(
        Pod pod,
        List<ObservedContainer> containers,
        Optional<ContainerFacts> sandbox,
        Map<String, String> unhealthyVolumes,
        Optional<PodFailure> failure,
        String nodeAddress,
        Instant now) {

    /** The values of {@code status.reason} and {@code status.message}. */
    public record PodFailure(String reason, String message) {}

    public ObservedPod {
        containers = List.copyOf(containers);
        unhealthyVolumes = Map.copyOf(unhealthyVolumes);
    }

    /** Returns the Pod's address; "" if it has none yet. */
    public String address() {
        boolean ofMachine = pod.spec().path("hostNetwork").asBoolean(false);
        return ofMachine
                ? nodeAddress
                : sandbox.filter(ContainerFacts::isLive)
                        .map(ContainerFacts::address)
                        .orElse("");
    }
}
