package dev.mooring.node.pods;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Containers of a Pod with uid {@code uid-p} in namespace default, as an engine reports them. */
final class ContainerFactsFixture {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private ContainerFactsFixture() {}

    static ContainerFacts sandbox(int attempt, State state, Instant created) {
        return facts(ContainerLabels.ContainerRole.SANDBOX, "", attempt, state, created, 0, "");
    }

    static ContainerFacts container(String name, int attempt, State state, Instant created) {
        return facts(ContainerLabels.ContainerRole.CONTAINER, name, attempt, state, created, 0, "");
    }

    static ContainerFacts ended(String name, int attempt, int exit, Instant created) {
        return facts(ContainerLabels.ContainerRole.CONTAINER, name, attempt, State.EXITED, created, exit, "");
    }

    static ContainerFacts unstartable(String name, int attempt, Instant created) {
        return facts(
                ContainerLabels.ContainerRole.CONTAINER, name, attempt, State.CREATED, created, 127, "no such file");
    }

    /** Returns the facts with the label of a sandbox. */
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
                facts.oomKilled(),
                facts.error(),
                facts.address());
    }

    private static ContainerFacts facts(
            ContainerLabels.ContainerRole role,
            String name,
            int attempt,
            State state,
            Instant created,
            int exit,
            String error) {
        int backoffCount = role == ContainerLabels.ContainerRole.SANDBOX ? 0 : attempt;
        ContainerLabels.ContainerIdentity labels = new ContainerLabels.ContainerIdentity(
                "i", "uid-p", "p", "default", role, name, attempt, backoffCount, "hash", "");
        boolean started = state != State.CREATED;
        return new ContainerFacts(
                "id-" + (name.isEmpty() ? "sandbox" : name) + '-' + attempt,
                labels.containerName(),
                "busybox",
                "sha256:1",
                labels.toLabels(),
                state,
                created,
                started ? Optional.of(created.plusMillis(100)) : Optional.empty(),
                state == State.EXITED ? Optional.of(created.plusSeconds(1)) : Optional.empty(),
                exit,
                false,
                error,
                role == ContainerLabels.ContainerRole.SANDBOX ? "172.17.0.2" : "");
    }
}
