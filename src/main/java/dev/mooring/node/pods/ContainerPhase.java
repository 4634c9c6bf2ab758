package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;

/**
 * The state of one container of a Pod. The engine is authoritative; for a container that was removed from it, the Pod's
 * status is used, so that an ended container is not run again.
 */
sealed interface ContainerPhase {
    /** Exit code of a container that was removed while it ran. */
    int UNKNOWN_EXIT = 137;

    /** Exit code of a container that failed to start. */
    int START_ERROR = 128;

    /** Returns the sandbox that the container was created for; "" if unknown or none. */
    String sandbox();

    /** The container never existed. */
    record Missing() implements ContainerPhase {
        @Override
        public String sandbox() {
            return "";
        }
    }

    /** Created, but not started. */
    record Created(ContainerFacts facts) implements ContainerPhase {
        @Override
        public String sandbox() {
            return facts.identity().sandbox();
        }
    }

    record Running(ContainerFacts facts) implements ContainerPhase {
        @Override
        public String sandbox() {
            return facts.identity().sandbox();
        }
    }

    /**
     * The container has ended.
     *
     * @param sandbox that it was created for; "" if unknown
     * @param finished empty if unknown
     * @param backoffCount number of previous consecutive attempts that ended soon
     * @param spec hash of its spec; "" if unknown
     */
    record Terminated(
            int exitCode,
            String sandbox,
            Optional<Instant> finished,
            Optional<Instant> started,
            int backoffCount,
            String spec)
            implements ContainerPhase {
        boolean isSuccess() {
            return exitCode == 0;
        }
    }

    /**
     * Returns the phase of a container.
     *
     * @param facts its attempts in the engine, the newest first
     * @param status its current status in the Pod
     */
    static ContainerPhase of(List<ContainerFacts> facts, JsonNode status) {
        boolean newer = !facts.isEmpty()
                && (facts.get(0).isLive()
                        || facts.get(0).identity().attempt()
                                >= status.path("restartCount").asInt(0));
        return newer ? of(facts.get(0)) : fromStatus(status);
    }

    private static ContainerPhase of(ContainerFacts facts) {
        if (facts.isLive()) {
            return new Running(facts);
        }
        if (facts.state() == State.CREATED && facts.error().isEmpty()) {
            return new Created(facts);
        }
        int exit = facts.state() == State.CREATED ? START_ERROR : facts.exitCode();
        Optional<Instant> finished = facts.finished().or(() -> Optional.of(facts.created()));
        return new Terminated(
                exit,
                facts.identity().sandbox(),
                finished,
                facts.started(),
                facts.identity().backoffCount(),
                facts.identity().spec());
    }

    private static ContainerPhase fromStatus(JsonNode status) {
        JsonNode state = status.path("state");
        int crashes = Math.min(1, status.path("restartCount").asInt(0));
        if (state.path("running").isObject()) {
            return new Terminated(
                    UNKNOWN_EXIT,
                    "",
                    Optional.empty(),
                    time(state.path("running").path("startedAt")),
                    crashes,
                    "");
        }
        JsonNode terminated = state.path("terminated").isObject()
                ? state.path("terminated")
                : status.path("lastState").path("terminated");
        if (!terminated.isObject()) {
            return new Missing();
        }
        return new Terminated(
                terminated.path("exitCode").asInt(UNKNOWN_EXIT),
                "",
                time(terminated.path("finishedAt")),
                time(terminated.path("startedAt")),
                crashes,
                "");
    }

    private static Optional<Instant> time(JsonNode text) {
        try {
            return Optional.of(Instant.parse(text.asText("")));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
