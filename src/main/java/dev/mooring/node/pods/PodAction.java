package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.PodVolume;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ImageFacts;
import java.time.Instant;
import java.util.List;

/** An action on a Pod's containers. */
sealed interface PodAction {
    String SANDBOX = "sandbox";
    String START = "container/";
    String REMOVAL = "removal";
    String SANDBOX_REMOVAL = "removal/sandbox";

    /** Returns the slot; at most one action per slot runs at a time. */
    String slot();

    static String slot(String container) {
        return START + container;
    }

    /** Returns whether actions of this slot create or start a container. */
    static boolean startsContainer(String slot) {
        return slot.startsWith(START);
    }

    /**
     * Creates the sandbox, if necessary, and starts it.
     *
     * @param backoffCount number of previous consecutive sandboxes that ended soon
     */
    record StartSandbox(int attempt, int backoffCount) implements PodAction {
        @Override
        public String slot() {
            return SANDBOX;
        }
    }

    /**
     * Creates a container.
     *
     * @param spec as in the Pod
     */
    record CreateContainer(
            JsonNode spec,
            ObservedContainer.Kind kind,
            int attempt,
            int backoffCount,
            ImageFacts image,
            List<PodVolume> volumes)
            implements PodAction {
        @Override
        public String slot() {
            return PodAction.slot(spec.path("name").asText());
        }
    }

    /** Starts a created container and runs its postStart hook. */
    record StartContainer(JsonNode spec, ContainerFacts container, List<PodVolume> volumes) implements PodAction {
        @Override
        public String slot() {
            return PodAction.slot(spec.path("name").asText());
        }
    }

    /**
     * Stops a running container.
     *
     * @param deadline end of its grace period
     * @param reason human-readable; "" for none
     */
    record StopContainer(JsonNode spec, ContainerFacts container, Instant deadline, String reason)
            implements PodAction {
        /** Differs from the slot of the start: a container can be stopped while its postStart hook runs. */
        @Override
        public String slot() {
            return StopContainer.slot(container.identity().container());
        }

        static String slot(String container) {
            return "stop/" + container;
        }
    }

    /** Shortens the grace period of a container that is being stopped. */
    record ShortenGrace(ContainerFacts container, Instant deadline) implements PodAction {
        @Override
        public String slot() {
            return ShortenGrace.slot(container.identity().container());
        }

        static String slot(String container) {
            return "hasten/" + container;
        }
    }

    /** Removes ended containers, with all data outside of volumes. */
    record RemoveContainers(String slot, List<ContainerFacts> containers) implements PodAction {
        RemoveContainers(List<ContainerFacts> ended) {
            this(REMOVAL, ended);
        }
    }

    /** Returns whether actions of this slot concern a sandbox only, which has no volumes. */
    static boolean isOfSandbox(String slot) {
        return slot.equals(SANDBOX) || slot.equals(SANDBOX_REMOVAL);
    }
}
