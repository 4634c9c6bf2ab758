package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import java.util.Optional;

/**
 * One container of a Pod: what its spec says, what the engine has of it, and what was found out about it. Immutable.
 *
 * @param spec as in the Pod
 * @param current the newest there is
 * @param previous the one before it, if the engine still has it
 * @param waiting why it does not run although it is to; nothing if it runs, has ended for good, or is not to run (any more)
 * @param started whether it is up, as far as a startupProbe can tell: a container without one is when it runs
 * @param ready whether it can do its work
 * @param message what {@code current} left behind when it ended
 * @param previousMessage what {@code previous} left behind
 */
public record ContainerSight(
        JsonNode spec,
        Kind kind,
        Optional<ContainerFacts> current,
        Optional<ContainerFacts> previous,
        Optional<Waiting> waiting,
        boolean started,
        boolean ready,
        String message,
        String previousMessage) {

    /** What it is for. */
    public enum Kind {
        /** Runs to its end before the next is begun. */
        INIT,
        /** An init container with {@code restartPolicy: Always}: begun in its turn, and goes on beside the others. */
        SIDECAR,
        CONTAINER
    }

    /** In the words of {@code state.waiting}. */
    public record Waiting(String reason, String message) {}

    public String name() {
        return spec.path("name").asText("");
    }

    public boolean isLive() {
        return current.filter(ContainerFacts::isLive).isPresent();
    }

    /** Whether there was one and it has ended. Also if it could not be started. */
    public boolean hasEnded() {
        return current.filter(each -> each.state() == ContainerFacts.State.EXITED
                        || (each.state() == ContainerFacts.State.CREATED
                                && !each.error().isEmpty()))
                .isPresent();
    }

    /** How often it was begun anew. */
    public int restarts() {
        return current.map(each -> each.whose().attempt()).orElse(0);
    }
}
