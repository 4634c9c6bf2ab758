package dev.mooring.node.pod;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.Labels;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Containers as an engine could have them, for a Pod of uid {@code uid-p} in default. */
final class Facts {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private Facts() {}

    static ContainerFacts sandbox(int attempt, State state, Instant made) {
        return facts(Labels.Role.SANDBOX, "", attempt, state, made, 0, "");
    }

    static ContainerFacts container(String name, int attempt, State state, Instant made) {
        return facts(Labels.Role.CONTAINER, name, attempt, state, made, 0, "");
    }

    static ContainerFacts ended(String name, int attempt, int exit, Instant made) {
        return facts(Labels.Role.CONTAINER, name, attempt, State.EXITED, made, exit, "");
    }

    static ContainerFacts unstartable(String name, int attempt, Instant made) {
        return facts(Labels.Role.CONTAINER, name, attempt, State.CREATED, made, 127, "no such file");
    }

    /** The same, made for a sandbox. */
    static ContainerFacts in(String sandbox, ContainerFacts facts) {
        Map<String, String> labels = new HashMap<>(facts.labels());
        labels.put("dev.mooring.sandbox", sandbox);
        return new ContainerFacts(
                facts.id(),
                facts.name(),
                facts.image(),
                facts.imageId(),
                labels,
                facts.state(),
                facts.created(),
                facts.started(),
                facts.finished(),
                facts.exitCode(),
                facts.outOfMemory(),
                facts.error(),
                facts.address());
    }

    private static ContainerFacts facts(
            Labels.Role role, String name, int attempt, State state, Instant made, int exit, String error) {
        int setbacks = role == Labels.Role.SANDBOX ? 0 : attempt;
        Labels.Of labels = new Labels.Of("i", "uid-p", "p", "default", role, name, attempt, setbacks, "hash", "");
        boolean started = state != State.CREATED;
        return new ContainerFacts(
                "id-" + (name.isEmpty() ? "sandbox" : name) + '-' + attempt,
                labels.containerName(),
                "busybox",
                "sha256:1",
                labels.labels(),
                state,
                made,
                started ? Optional.of(made.plusMillis(100)) : Optional.empty(),
                state == State.EXITED ? Optional.of(made.plusSeconds(1)) : Optional.empty(),
                exit,
                false,
                error,
                role == Labels.Role.SANDBOX ? "172.17.0.2" : "");
    }
}
