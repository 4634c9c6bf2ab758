package dev.mooring.chaos;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosException.Kind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does harm on purpose. Everything is written down before it is done, and ends by itself. Works only while its verticle is up; when that ends, all that
 * is armed ends with it. Thread-safe; never blocks.
 */
public final class Chaos {
    /** The verticle that this needs. It can be killed like any other, which ends all that is armed. */
    public static final String VERTICLE = "chaos";

    private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

    private final Parts parts;
    private final AtomicReference<Optional<Timers>> timers = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<Rampage>> rampage = new AtomicReference<>(Optional.empty());

    /**
     * What it works with.
     *
     * @param node whose process this is
     * @param seeds for whoever names none
     */
    public record Parts(
            String node, Faults faults, Victims victims, Chronicle chronicle, Clock clock, LongSupplier seeds) {}

    /** Has something done later; never after the verticle has ended. */
    @FunctionalInterface
    interface Timers {
        void after(Duration delay, Runnable task);
    }

    /**
     * What was done.
     *
     * @param recorded whether history has it already; if not, it may have it later
     */
    public record Done(String message, boolean recorded) {}

    public Chaos(Parts parts) {
        this.parts = parts;
    }

    void begin(Timers given) {
        timers.set(Optional.of(given));
    }

    void end() {
        timers.set(Optional.empty());
        disarm();
    }

    private void disarm() {
        rampage.set(Optional.empty());
        parts.faults().disarm();
        parts.victims().resumeAll();
    }

    /**
     * Does something. The stage may fail with a {@link ChaosException}, and then nothing was done.
     *
     * @param actor who wants it
     */
    public CompletionStage<Done> perform(ChaosAction action, String actor) {
        if (timers.get().isEmpty()) {
            return CompletableFuture.failedStage(new ChaosException(
                    Kind.UNAVAILABLE, "The verticle \"" + VERTICLE + "\" is down at the moment; try again"));
        }
        return parts.victims().all().thenCompose(all -> {
            if (action instanceof ChaosAction.Kill kill) {
                return kill(kill, actor, all);
            } else if (action instanceof ChaosAction.Pause pause) {
                return pause(pause, actor, all);
            } else if (action instanceof ChaosAction.FailNextMounts mounts) {
                return failNextMounts(mounts, actor);
            } else if (action instanceof ChaosAction.HangServer hang) {
                return hangServer(hang, actor);
            } else if (action instanceof ChaosAction.Monkey monkey) {
                return beginRampage(monkey, actor, all);
            }
            return stop(actor);
        });
    }

    private CompletionStage<Done> kill(ChaosAction.Kill wanted, String actor, List<Victim> all) {
        Victim victim = named(wanted.verticle(), all);
        if (!victim.canBeKilled()) {
            throw new ChaosException(
                    Kind.CONFLICT,
                    "Expected verticle " + victim.name() + " to be up, but it is " + victim.state()
                            + victim.until().map(until -> " until " + until).orElse(""));
        }
        return kill(victim, actor)
                .thenApply(recorded -> new Done("verticle " + victim.name() + " was killed", recorded));
    }

    private CompletionStage<Boolean> kill(Victim victim, String actor) {
        return parts.chronicle()
                .record("ChaosVerticleKilled", actor, "verticle " + victim.name() + " is killed on purpose")
                .thenCompose(recorded -> parts.victims()
                        .kill(victim.name(), "killed on purpose by " + actor)
                        .thenApply(v -> recorded));
    }

    private CompletionStage<Done> pause(ChaosAction.Pause wanted, String actor, List<Victim> all) {
        List<String> names = new ArrayList<>();
        if (wanted.verticle().equals(ChaosAction.ALL)) {
            all.stream()
                    .map(Victim::name)
                    .filter(name -> !name.equals(VERTICLE))
                    .forEach(names::add);
        } else {
            names.add(named(wanted.verticle(), all).name());
        }
        if (names.contains(VERTICLE)) {
            throw new ChaosException(
                    Kind.INVALID, "Expected another verticle to pause, but \"" + VERTICLE + "\" sees to pauses itself");
        }
        String message = (names.size() == 1 ? "verticle " + names.get(0) : "every verticle") + " is paused for "
                + seconds(wanted.length());
        return parts.chronicle().record("ChaosVerticlePaused", actor, message).thenCompose(recorded -> {
            CompletableFuture<?>[] pauses = names.stream()
                    .map(name -> parts.victims()
                            .pause(name, wanted.length(), "on purpose, by " + actor)
                            .toCompletableFuture())
                    .toArray(CompletableFuture[]::new);
            return CompletableFuture.allOf(pauses).thenApply(v -> new Done(message, recorded));
        });
    }

    private CompletionStage<Done> failNextMounts(ChaosAction.FailNextMounts wanted, String actor) {
        Optional<String> elsewhere = wanted.node().filter(node -> !node.equals(parts.node()));
        if (elsewhere.isPresent()) {
            throw new ChaosException(
                    Kind.NOT_FOUND,
                    "Expected the node " + parts.node() + ", which this process is, but got " + elsewhere.get());
        }
        String message = "the next " + wanted.count() + " set-ups of volumes fail on purpose, within "
                + seconds(wanted.length()) + ": " + wanted.reason();
        return parts.chronicle().record("ChaosMountsToFail", actor, message).thenApply(recorded -> {
            parts.faults().failNextMounts(wanted.count(), wanted.reason(), wanted.length());
            return new Done(message, recorded);
        });
    }

    private CompletionStage<Done> hangServer(ChaosAction.HangServer wanted, String actor) {
        String message = "NFS server " + wanted.server() + " is treated as if it hung for " + seconds(wanted.length());
        return parts.chronicle().record("ChaosServerHung", actor, message).thenApply(recorded -> {
            parts.faults().hang(wanted.server(), wanted.length());
            return new Done(message, recorded);
        });
    }

    private CompletionStage<Done> beginRampage(ChaosAction.Monkey wanted, String actor, List<Victim> all) {
        wanted.only().forEach(name -> named(name, all));
        Set<String> among = wanted.only().isEmpty()
                ? all.stream()
                        .map(Victim::name)
                        .filter(name -> !name.equals(VERTICLE))
                        .collect(Collectors.toSet())
                : Set.copyOf(wanted.only());
        if (among.contains(VERTICLE)) {
            throw new ChaosException(
                    Kind.INVALID, "Expected other verticles to kill, but \"" + VERTICLE + "\" does the killing itself");
        }
        long seed = wanted.seed().orElseGet(parts.seeds());
        String message = "a verticle is killed at random every " + seconds(wanted.every()) + " for "
                + seconds(wanted.length()) + " (seed " + seed + ")"
                + (wanted.only().isEmpty() ? "" : ", of " + String.join(", ", wanted.only()));
        return parts.chronicle().record("ChaosMonkeyBegun", actor, message).thenApply(recorded -> {
            Instant until = parts.clock().instant().plus(wanted.length());
            Rampage run = new Rampage(among, wanted.every(), until, seed, actor);
            rampage.set(Optional.of(run));
            later(run);
            return new Done(message, recorded);
        });
    }

    private void later(Rampage run) {
        timers.get().ifPresent(each -> each.after(run.every(), () -> turn(run)));
    }

    private boolean isCurrent(Rampage run) {
        return rampage.get().filter(current -> current == run).isPresent();
    }

    private void turn(Rampage run) {
        if (!isCurrent(run)) {
            return;
        }
        if (run.isOverAt(parts.clock().instant())) {
            rampage.set(Optional.empty());
            return;
        }
        parts.victims()
                .all()
                .thenCompose(all -> {
                    Victim victim = run.choose(all);
                    if (!victim.canBeKilled()) {
                        return CompletableFuture.completedStage(false);
                    }
                    run.count();
                    return kill(victim, run.actor());
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.atWarn().setCause(failure).log("Expected to kill a verticle at random, but it failed");
                    }
                    later(run);
                });
    }

    private CompletionStage<Done> stop(String actor) {
        disarm();
        String message = "everything that was armed has ended, and paused verticles are started";
        return parts.chronicle()
                .record("ChaosStopped", actor, message)
                .thenApply(recorded -> new Done(message, recorded));
    }

    private static Victim named(String name, List<Victim> all) {
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ChaosException(
                        Kind.NOT_FOUND,
                        "Expected the name of a verticle ("
                                + all.stream().map(Victim::name).collect(Collectors.joining(", ")) + "), but got \""
                                + name + '"'));
    }

    /** What is armed, in words; "" if nothing is. Pauses are told of by the verticles themselves. */
    public String armed() {
        List<String> all = new ArrayList<>();
        parts.faults().mounts().ifPresent(each -> all.add(each.left() + " set-ups of volumes are to fail"));
        parts.faults().hung().forEach(each -> all.add("server " + each.server() + " hangs until " + each.until()));
        running().ifPresent(run -> all.add("verticles are killed at random until " + run.until()));
        return String.join("; ", all);
    }

    private Optional<Rampage> running() {
        return rampage.get().filter(run -> !run.isOverAt(parts.clock().instant()));
    }

    /** How the verticles are, and what is armed. */
    public CompletionStage<ObjectNode> report() {
        return parts.victims().all().thenApply(all -> {
            ObjectNode report = ChaosReport.of(parts.node(), all);
            ArrayNode faults = report.putArray("faults");
            parts.faults().mounts().ifPresent(each -> ChaosReport.add(faults, each));
            parts.faults().hung().forEach(each -> ChaosReport.add(faults, each));
            all.stream().filter(Victim::isPaused).forEach(each -> ChaosReport.addPaused(faults, each));
            running().ifPresent(run -> ChaosReport.add(faults, run));
            return report;
        });
    }

    private static String seconds(Duration length) {
        long millis = length.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }
}
