package dev.mooring.cli;

import dev.mooring.chaos.Victim;
import dev.mooring.chaos.Victims;
import dev.mooring.cli.supervise.ChildReport;
import dev.mooring.cli.supervise.Supervisor;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/** What the supervisor looks after, as victims. Any thread. */
record ChaosVictims(Supervisor supervisor) implements Victims {
    @Override
    public CompletionStage<List<Victim>> all() {
        return supervisor
                .children()
                .map(all -> all.stream().map(ChaosVictims::victim).toList())
                .toCompletionStage();
    }

    private static Victim victim(ChildReport child) {
        return new Victim(
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
