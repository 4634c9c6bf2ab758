package dev.mooring.node.pod;

import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.image.Images;
import dev.mooring.node.probe.Hooks;
import dev.mooring.node.probe.Probes;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerRuntime;

/**
 * What a node drives Pods with. All of it outlives a restart of the driver.
 *
 * @param node its name
 * @param instance whose containers they are
 * @param wakes has the driver look at a Pod
 * @param sandboxRemovals whose turn it is to be removed
 */
record PodParts(
        String node,
        String instance,
        ContainerRuntime runtime,
        ContainerBook book,
        ContainerSpecs specs,
        Images images,
        Probes probes,
        Hooks hooks,
        SandboxImage sandboxImage,
        WorkParts work,
        PodWakes wakes,
        TerminationMessages messages,
        Turns sandboxRemovals) {

    /**
     * Docker 20.10 was seen to stand still, its network's lock never given back, when 50 sandboxes were removed at once. Other containers have no
     * network of their own, so they do not take it.
     */
    static final int SANDBOX_REMOVALS_AT_ONCE = 8;

    /** Knows which image sandboxes are made of. Blocks while it is made. */
    @FunctionalInterface
    public interface SandboxImage {
        String reference() throws dev.mooring.runtime.EngineException, InterruptedException;
    }

    String actor() {
        return "node/" + node;
    }

    /** What has gone wrong just now, after what went wrong there before. */
    Trouble trouble(String podUid, String slot, String reason, String message) {
        Trouble before = book.page(podUid).troubles().get(slot);
        return Trouble.after(before, reason, message, work.clock().instant());
    }
}
