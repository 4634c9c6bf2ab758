package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.ImageManager;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.probe.Hooks;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The components that carry out the effects of the Pod controller, and what they have observed. All of them outlive a
 * restart of the controller.
 *
 * @param node name of the node
 * @param instance value of the instance label of its containers
 * @param requeue requeues a Pod at the controller
 * @param volumeWaits since when volumes keep Pods waiting, by UID; thread-safe
 * @param sandboxRemovalExecutor limits concurrent sandbox removals
 */
record PodContext(
        String node,
        String instance,
        ContainerRuntime runtime,
        ContainerCache cache,
        ContainerSpecs specs,
        ImageManager images,
        ProbeManager probes,
        Hooks hooks,
        SandboxImage sandboxImage,
        WorkContext work,
        PodRequeue requeue,
        TerminationMessages messages,
        Map<String, Instant> volumeWaits,
        KeyedExecutor sandboxRemovalExecutor)
        implements PodObservations {

    /**
     * Limit of concurrent sandbox removals. Docker 20.10 deadlocked on its network lock when 50 sandboxes were removed
     * at once. Other containers have no network of their own, so they need no limit.
     */
    static final int SANDBOX_REMOVALS_AT_ONCE = 8;

    /** Provides the sandbox image. Blocks while it is created. */
    @FunctionalInterface
    public interface SandboxImage {
        String reference() throws dev.mooring.runtime.EngineException, InterruptedException;
    }

    @Override
    public ImageState image(Pod pod, JsonNode container, Instant now) {
        return images.state(pod, container, now);
    }

    @Override
    public ProbeManager.ProbeStatus probeStatus(Pod pod, JsonNode container, String containerId) {
        return probes.status(pod, container, containerId);
    }

    @Override
    public boolean hasProbes(Pod pod, List<ObservedContainer> containers) {
        return probes.hasProbes(pod, containers);
    }

    @Override
    public Optional<String> terminationMessage(Pod pod, ContainerFacts ended) {
        return messages.of(pod, ended);
    }

    @Override
    public Optional<Instant> waitsForVolumesSince(String podUid) {
        return Optional.ofNullable(volumeWaits.get(podUid));
    }

    String actor() {
        return "node/" + node;
    }

    /** Returns the failure that follows the slot's previous failure. */
    PodActionFailure nextFailure(String podUid, String slot, String reason, String message) {
        PodActionFailure before = cache.cachedPod(podUid).failures().get(slot);
        return PodActionFailure.after(before, reason, message, work.clock().instant());
    }
}
