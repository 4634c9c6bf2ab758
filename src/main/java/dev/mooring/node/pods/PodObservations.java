package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a node has observed of its Pods outside the World. Asking has no side effects. Thread-safe; never blocks. */
interface PodObservations {
    /** Returns the name of the node. */
    String node();

    ContainerCache cache();

    /** Returns the callback that enqueues Pods whose observations have changed. */
    PodRequeue requeue();

    /** Returns the state of a container's image; pending if it was not requested yet. */
    ImageState image(Pod pod, JsonNode container, Instant now);

    ProbeManager.ProbeStatus probeStatus(Pod pod, JsonNode container, String containerId);

    /** Returns whether the probes of a Pod depend on its containers: one has a probe, or had one. */
    boolean hasProbes(Pod pod, List<ObservedContainer> containers);

    /** Returns the termination message of an ended container; "" for none; empty if it was not read yet. */
    Optional<String> terminationMessage(Pod pod, ContainerFacts ended);

    /** Returns since when volumes keep a Pod waiting. */
    Optional<Instant> waitsForVolumesSince(String podUid);
}
