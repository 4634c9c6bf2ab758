package dev.mooring.runtime;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A snapshot of a container in its engine. Immutable.
 *
 * @param image as requested
 * @param imageId the engine's, such as sha256:…
 * @param exitCode 0 while it has not ended
 * @param oomKilled whether it was OOM-killed
 * @param error why it failed to start; "" if it did not
 * @param address its own; "" if it has none, or joins another container's network
 */
public record ContainerFacts(
        String id,
        String name,
        String image,
        String imageId,
        Map<String, String> labels,
        State state,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> finished,
        int exitCode,
        boolean oomKilled,
        String error,
        String address) {

    /** The state of a container. */
    public enum State {
        /** Created, but not started; if the start failed, {@link ContainerFacts#error} has the reason. */
        CREATED,
        RUNNING,
        /** Its processes are frozen. They keep their open files. */
        PAUSED,
        EXITED
    }

    public ContainerFacts {
        labels = Map.copyOf(labels);
    }

    /** Returns whether it has processes. */
    public boolean isLive() {
        return state == State.RUNNING || state == State.PAUSED;
    }

    /** Returns the same facts of a container that was OOM-killed. */
    public ContainerFacts asOomKilled() {
        return new ContainerFacts(
                id, name, image, imageId, labels, state, created, started, finished, exitCode, true, error, address);
    }

    public ContainerLabels.ContainerIdentity identity() {
        return ContainerLabels.ContainerIdentity.read(labels);
    }
}
