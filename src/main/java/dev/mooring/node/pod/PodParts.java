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
        TerminationMessages messages) {

    /** Knows which image sandboxes are made of. Blocks while it is made. */
    @FunctionalInterface
    public interface SandboxImage {
        String reference() throws dev.mooring.runtime.EngineException, InterruptedException;
    }

    String actor() {
        return "node/" + node;
    }
}
