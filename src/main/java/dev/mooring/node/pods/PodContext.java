package dev.mooring.node.pods;

import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.ImageManager;
import dev.mooring.node.probe.Hooks;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;

/**
 * The dependencies of the Pod controller. All of them outlive a restart of the controller.
 *
 * @param node name of the node
 * @param instance value of the instance label of its containers
 * @param requeue requeues a Pod at the controller
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
        BoundedExecutor sandboxRemovalExecutor) {

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

    String actor() {
        return "node/" + node;
    }

    /** Returns the failure that follows the slot's previous failure. */
    PodActionFailure nextFailure(String podUid, String slot, String reason, String message) {
        PodActionFailure before = cache.cachedPod(podUid).failures().get(slot);
        return PodActionFailure.after(before, reason, message, work.clock().instant());
    }
}
