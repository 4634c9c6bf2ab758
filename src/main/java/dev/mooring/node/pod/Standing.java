package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;

/**
 * How far one container of a Pod is. What the engine has decides; where it has nothing, because somebody has removed it, the Pod's status
 * remembers: what has run is not run again only for that.
 */
sealed interface Standing {
    /** What a process ends with that somebody has taken away. */
    int UNKNOWN_EXIT = 137;

    /** What a container ends with that could not be started. */
    int START_ERROR = 128;

    /** The sandbox that the container was made for; "" if that is not known, or there is none. */
    String sandbox();

    /** There has never been one. */
    record Missing() implements Standing {
        @Override
        public String sandbox() {
            return "";
        }
    }

    /** Made and not started. */
    record Made(ContainerFacts facts) implements Standing {
        @Override
        public String sandbox() {
            return facts.whose().sandbox();
        }
    }

    record Live(ContainerFacts facts) implements Standing {
        @Override
        public String sandbox() {
            return facts.whose().sandbox();
        }
    }

    /**
     * @param sandbox that the one that ended was made for; "" if that is not known any more
     * @param finished nothing if that is not known
     * @param setbacks how many in a row had ended soon before this one
     * @param spec stands for what was asked for; "" if that is not known any more
     */
    record Ended(
            int exitCode,
            String sandbox,
            Optional<Instant> finished,
            Optional<Instant> started,
            int setbacks,
            String spec)
            implements Standing {
        boolean isSuccess() {
            return exitCode == 0;
        }
    }

    /**
     * @param facts those of this container that the engine has, the newest first
     * @param status of this container, as the Pod has it
     */
    static Standing of(List<ContainerFacts> facts, JsonNode status) {
        boolean newer = !facts.isEmpty()
                && (facts.get(0).isLive()
                        || facts.get(0).whose().attempt()
                                >= status.path("restartCount").asInt(0));
        return newer ? of(facts.get(0)) : remembered(status);
    }

    private static Standing of(ContainerFacts facts) {
        if (facts.isLive()) {
            return new Live(facts);
        }
        if (facts.state() == State.CREATED && facts.error().isEmpty()) {
            return new Made(facts);
        }
        int exit = facts.state() == State.CREATED ? START_ERROR : facts.exitCode();
        Optional<Instant> finished = facts.finished().or(() -> Optional.of(facts.created()));
        return new Ended(
                exit,
                facts.whose().sandbox(),
                finished,
                facts.started(),
                facts.whose().setbacks(),
                facts.whose().spec());
    }

    private static Standing remembered(JsonNode status) {
        JsonNode state = status.path("state");
        int setbacks = Math.min(1, status.path("restartCount").asInt(0));
        if (state.path("running").isObject()) {
            return new Ended(
                    UNKNOWN_EXIT,
                    "",
                    Optional.empty(),
                    time(state.path("running").path("startedAt")),
                    setbacks,
                    "");
        }
        JsonNode terminated = state.path("terminated").isObject()
                ? state.path("terminated")
                : status.path("lastState").path("terminated");
        if (!terminated.isObject()) {
            return new Missing();
        }
        return new Ended(
                terminated.path("exitCode").asInt(UNKNOWN_EXIT),
                "",
                time(terminated.path("finishedAt")),
                time(terminated.path("startedAt")),
                setbacks,
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
