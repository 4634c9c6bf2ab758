package dev.mooring.runtime;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A container as its engine has it, at one moment. Immutable.
 *
 * @param image as it was asked for
 * @param imageId the engine's, such as sha256:…
 * @param exitCode 0 while it has not ended
 * @param outOfMemory whether it was ended for want of memory
 * @param error why it could not be started; "" if it could
 * @param address its own, or "" if it has none or another container's
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
        boolean outOfMemory,
        String error,
        String address) {

    /** How far it is. */
    public enum State {
        /** Made, and not started; or starting failed, then {@link ContainerFacts#error} says why. */
        CREATED,
        RUNNING,
        /** Its processes are held still. They have what they have open. */
        PAUSED,
        EXITED
    }

    public ContainerFacts {
        labels = Map.copyOf(labels);
    }

    /** Whether it has processes. */
    public boolean isLive() {
        return state == State.RUNNING || state == State.PAUSED;
    }

    public Labels.Of whose() {
        return Labels.Of.read(labels);
    }
}
