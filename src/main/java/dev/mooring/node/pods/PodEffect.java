package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Effect;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An effect of the {@link PodController}. */
sealed interface PodEffect extends Effect {
    /** Runs an action, unless its slot is busy. */
    record RunAction(Pod pod, PodAction action) implements PodEffect {}

    /** Inspects or pulls the image for the next attempt of a container. */
    record RequestImage(Pod pod, JsonNode container) implements PodEffect {}

    /** Probes the running containers of a Pod that have probes, and stops its other probes. */
    record UpdateProbes(Pod pod, List<ObservedContainer> containers, String address) implements PodEffect {}

    /** Reads the termination message of a container. */
    record ReadTerminationMessage(Pod pod, JsonNode container, ContainerFacts ended) implements PodEffect {}

    /** Notes since when volumes keep a Pod waiting; empty if none does. */
    record NoteVolumeWait(String podUid, Optional<Instant> since) implements PodEffect {}

    /** Stops and removes the remaining containers of a Pod that does not exist any more. */
    record RemoveLeftovers(String podUid, ObjectKey pod, List<ContainerFacts> containers) implements PodEffect {}

    /** Drops images, probes and messages of a Pod that has no containers any more or does not exist. */
    record ForgetPod(String podUid) implements PodEffect {}

    /** Clears the failures of a Pod's actions. */
    record ForgetFailures(String podUid) implements PodEffect {}

    /** Enqueues Pods of the node. */
    record EnqueuePods(Set<ObjectKey> pods) implements PodEffect {}
}
