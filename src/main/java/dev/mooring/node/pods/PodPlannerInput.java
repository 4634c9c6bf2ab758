package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The input of the planner for one Pod.
 *
 * @param cachedPod the Pod's containers in the engine
 */
record PodPlannerInput(
        Pod pod, ContainerCache.CachedPod cachedPod, VolumeReadiness volumes, Queries queries, Instant now) {
    /** Values that the planner reads only when needed. Reading has no side effects. */
    interface Queries {
        /** Returns the state of the image. */
        ImageState image(JsonNode spec);

        ProbeManager.ProbeStatus probeStatus(JsonNode spec, String containerId);

        /** Returns the termination grace period of a failed probe, if the probe has its own. */
        Optional<Duration> grace(JsonNode spec, String probe);

        /** Returns a hash of the spec; a container whose hash differs is replaced. */
        String hash(JsonNode spec);

        /** Returns whether the container can only be created when the Pod has its address. */
        boolean needsAddress(JsonNode spec);
    }

    /** One container: its spec and its observed state. */
    record PlannedContainer(JsonNode spec, ObservedContainer.Kind kind, ContainerPhase phase, SlotState slot) {
        String name() {
            return spec.path("name").asText("");
        }

        boolean isLive() {
            return phase instanceof ContainerPhase.Running;
        }
    }

    /**
     * The state of a container's action slot.
     *
     * @param free whether no action is in progress
     * @param failure of the last action
     */
    record SlotState(boolean free, Optional<PodActionFailure> failure) {}

    List<PlannedContainer> containers(String list) {
        List<PlannedContainer> members = new ArrayList<>();
        for (JsonNode spec : pod.spec().path(list)) {
            String name = spec.path("name").asText("");
            boolean sidecar = spec.path("restartPolicy").asText("").equals("Always");
            ObservedContainer.Kind kind = switch (list) {
                case "initContainers" -> sidecar ? ObservedContainer.Kind.SIDECAR : ObservedContainer.Kind.INIT;
                case "containers" -> ObservedContainer.Kind.CONTAINER;
                default -> ObservedContainer.Kind.EPHEMERAL;
            };
            members.add(new PlannedContainer(
                    spec,
                    kind,
                    ContainerPhase.of(cachedPod.of(name), status(kind.statuses(), name)),
                    slot(PodAction.slot(name))));
        }
        return members;
    }

    private JsonNode status(String list, String name) {
        for (JsonNode each : pod.status().path(list)) {
            if (each.path("name").asText("").equals(name)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    SlotState slot(String slot) {
        return new SlotState(
                !cachedPod.isBusy(slot),
                Optional.ofNullable(cachedPod.failures().get(slot)));
    }

    /**
     * Returns containers that run in addition to the newest of their name, because a user has started them, or that the
     * Pod's spec does not have.
     */
    List<ContainerFacts> unexpectedContainers() {
        Set<String> names = new HashSet<>();
        for (String list : ObservedContainer.Kind.SPECS) {
            pod.spec().path(list).forEach(each -> names.add(each.path("name").asText("")));
        }
        List<ContainerFacts> unexpected = new ArrayList<>();
        cachedPod
                .containers()
                .forEach((name, all) -> all.stream()
                        .skip(names.contains(name) ? 1 : 0)
                        .filter(ContainerFacts::isLive)
                        .forEach(unexpected::add));
        return unexpected;
    }

    Optional<ContainerFacts> sandbox() {
        return cachedPod.sandboxes().stream().findFirst();
    }

    boolean isSandboxLive() {
        return sandbox().filter(ContainerFacts::isLive).isPresent();
    }

    String restartPolicy() {
        return pod.spec().path("restartPolicy").asText("Always");
    }
}
