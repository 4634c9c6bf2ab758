package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import java.util.List;
import java.util.Optional;

/**
 * One container of a Pod: its spec, its state in the engine, and its probe results. Immutable.
 *
 * @param spec as in the Pod
 * @param current the newest attempt
 * @param previous the attempt before it, if the engine still has it
 * @param waiting why it does not run although it should; empty if it runs, has ended for good, or should not run
 *     (any more)
 * @param started whether it has started according to its startupProbe; without one, whether it runs
 * @param ready whether it is ready
 * @param message termination message of {@code current}
 * @param previousMessage termination message of {@code previous}
 */
public record ObservedContainer(
        JsonNode spec,
        Kind kind,
        Optional<ContainerFacts> current,
        Optional<ContainerFacts> previous,
        Optional<Waiting> waiting,
        boolean started,
        boolean ready,
        String message,
        String previousMessage) {

    /** The kind of a container. */
    public enum Kind {
        /** Runs to completion before the next container starts. */
        INIT,
        /** An init container with {@code restartPolicy: Always}: starts in order and keeps running. */
        SIDECAR,
        CONTAINER,
        /** Added to a running Pod; never restarted, and without effect on its phase and conditions. */
        EPHEMERAL;

        /** The lists of a Pod's spec with containers. */
        public static final List<String> SPECS = List.of("initContainers", "containers", "ephemeralContainers");

        /** Returns the list of a Pod's status for containers of this kind. */
        public String statuses() {
            return switch (this) {
                case INIT, SIDECAR -> "initContainerStatuses";
                case CONTAINER -> "containerStatuses";
                case EPHEMERAL -> "ephemeralContainerStatuses";
            };
        }
    }

    /** Reason and message of {@code state.waiting}. */
    public record Waiting(String reason, String message) {}

    public String name() {
        return spec.path("name").asText("");
    }

    public boolean isLive() {
        return current.filter(ContainerFacts::isLive).isPresent();
    }

    /** Returns whether the newest attempt has ended or failed to start. */
    public boolean hasEnded() {
        return current.filter(each -> each.state() == ContainerFacts.State.EXITED
                        || (each.state() == ContainerFacts.State.CREATED
                                && !each.error().isEmpty()))
                .isPresent();
    }

    /** Returns the number of restarts. */
    public int restarts() {
        return current.map(each -> each.identity().attempt()).orElse(0);
    }
}
