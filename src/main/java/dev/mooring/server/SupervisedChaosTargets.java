package dev.mooring.server;

import dev.mooring.chaos.ChaosTarget;
import dev.mooring.chaos.ChaosTargets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/** The supervised verticles as chaos targets. Thread-safe. */
record SupervisedChaosTargets(Supervisor supervisor) implements ChaosTargets {
    @Override
    public CompletionStage<List<ChaosTarget>> all() {
        return supervisor
                .children()
                .map(all -> all.stream().map(SupervisedChaosTargets::target).toList())
                .toCompletionStage();
    }

    private static ChaosTarget target(ChildReport child) {
        return new ChaosTarget(
                child.name(),
                child.phase().name().toLowerCase(Locale.ROOT),
                child.restarts(),
                child.deathsInARow(),
                child.lastCause(),
                child.until());
    }

    @Override
    public CompletionStage<Void> kill(String verticle, String reason) {
        return supervisor.kill(verticle, reason).toCompletionStage();
    }

    @Override
    public CompletionStage<Void> pause(String verticle, Duration length, String reason) {
        return supervisor.pause(verticle, length, reason).toCompletionStage();
    }

    @Override
    public CompletionStage<Void> resumeAll() {
        return supervisor.resumeAll().toCompletionStage();
    }
}
