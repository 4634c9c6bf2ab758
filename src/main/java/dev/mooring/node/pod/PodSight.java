package dev.mooring.node.pod;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything its status is made of. Immutable.
 *
 * @param containers init containers first, each list in the Pod's order
 * @param sandbox the newest
 * @param unhealthyVolumes what is wrong with volumes that it has, by their names within the Pod
 * @param failure why the Pod as a whole has failed, whatever its containers did
 * @param nodeAddress "" if not known
 */
public record PodSight(
        Pod pod,
        List<ContainerSight> containers,
        Optional<ContainerFacts> sandbox,
        Map<String, String> unhealthyVolumes,
        Optional<Failure> failure,
        String nodeAddress,
        Instant now) {

    /** In the words of {@code status.reason} and {@code status.message}. */
    public record Failure(String reason, String message) {}

    public PodSight {
        containers = List.copyOf(containers);
        unhealthyVolumes = Map.copyOf(unhealthyVolumes);
    }

    /** Of the Pod; "" if it has none yet. */
    public String address() {
        boolean ofMachine = pod.spec().path("hostNetwork").asBoolean(false);
        return ofMachine
                ? nodeAddress
                : sandbox.filter(ContainerFacts::isLive)
                        .map(ContainerFacts::address)
                        .orElse("");
    }
}
