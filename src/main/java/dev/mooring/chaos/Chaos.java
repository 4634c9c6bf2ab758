package dev.mooring.chaos;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosException.ChaosErrorKind;
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
 * Injects faults. Each fault is recorded before it is injected, and ends by itself. Works only while its verticle is
 * up; when the verticle ends, all faults are disarmed. Thread-safe; never blocks.
 */
public final class Chaos {
    /** Name of the verticle. It can be killed like any other, which disarms all faults. */
    public static final String VERTICLE = "chaos";

    private static final Logger LOG = LoggerFactory.getLogger(Chaos.class);

    private final ChaosContext context;
    private final AtomicReference<Optional<Timers>> timers = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<ChaosRun>> currentRun = new AtomicReference<>(Optional.empty());

    /**
     * Dependencies.
     *
     * @param node of this process
     * @param seeds default seeds
     */
    public record ChaosContext(
            String node, Faults faults, ChaosTargets targets, FaultJournal journal, Clock clock, LongSupplier seeds) {}

    /** Schedules tasks; none runs after the verticle has ended. */
    @FunctionalInterface
    interface Timers {
        void after(Duration delay, Runnable task);
    }

    /**
     * Result of an action.
     *
     * @param recorded whether the history already contains it; if not, it may be written later
     */
    public record ChaosResult(String message, boolean recorded) {}

    public Chaos(ChaosContext context) {
        this.context = context;
    }

    void start(Timers verticleTimers) {
        timers.set(Optional.of(verticleTimers));
    }

    void stop() {
        timers.set(Optional.empty());
        disarm();
    }

    private void disarm() {
        currentRun.set(Optional.empty());
        context.faults().disarm();
        context.targets().resumeAll();
    }

    /**
     * Performs an action. If the stage fails with a {@link ChaosException}, nothing was done.
     *
     * @param actor the requesting user
     */
    public CompletionStage<ChaosResult> perform(ChaosAction action, String actor) {
        if (timers.get().isEmpty()) {
            return CompletableFuture.failedStage(
                    new ChaosException(ChaosErrorKind.UNAVAILABLE, "Verticle \"" + VERTICLE + "\" is down; try again"));
        }
        return context.targets().all().thenCompose(all -> {
            if (action instanceof ChaosAction.Kill kill) {
                return kill(kill, actor, all);
            } else if (action instanceof ChaosAction.Pause pause) {
                return pause(pause, actor, all);
            } else if (action instanceof ChaosAction.FailNextMounts mounts) {
                return failNextMounts(mounts, actor);
            } else if (action instanceof ChaosAction.HangServer hang) {
                return hangServer(hang, actor);
            } else if (action instanceof ChaosAction.Monkey monkey) {
                return startRun(monkey, actor, all);
            }
            return stop(actor);
        });
    }

    private CompletionStage<ChaosResult> kill(
            ChaosAction.Kill wanted, String actor, List<ChaosTargets.ChaosTarget> all) {
        ChaosTargets.ChaosTarget target = named(wanted.verticle(), all);
        if (!target.canBeKilled()) {
            throw new ChaosException(
                    ChaosErrorKind.CONFLICT,
                    "Cannot kill verticle " + target.name() + ": it is " + target.state()
                            + target.until().map(until -> " until " + until).orElse(""));
        }
        return kill(target, actor)
                .thenApply(recorded -> new ChaosResult("verticle " + target.name() + " was killed", recorded));
    }

    private CompletionStage<Boolean> kill(ChaosTargets.ChaosTarget target, String actor) {
        return context.journal()
                .record("ChaosVerticleKilled", actor, "verticle " + target.name() + " is killed on purpose")
                .thenCompose(recorded -> context.targets()
                        .kill(target.name(), "killed on purpose by " + actor)
                        .thenApply(v -> recorded));
    }

    private CompletionStage<ChaosResult> pause(
            ChaosAction.Pause wanted, String actor, List<ChaosTargets.ChaosTarget> all) {
        List<String> names = new ArrayList<>();
        if (wanted.verticle().equals(ChaosAction.ALL)) {
            all.stream()
                    .map(ChaosTargets.ChaosTarget::name)
                    .filter(name -> !name.equals(VERTICLE))
                    .forEach(names::add);
        } else {
            names.add(named(wanted.verticle(), all).name());
        }
        if (names.contains(VERTICLE)) {
            throw new ChaosException(
                    ChaosErrorKind.INVALID,
                    "Cannot pause verticle \"" + VERTICLE + "\": it ends the pauses of the others");
        }
        String message = (names.size() == 1 ? "verticle " + names.get(0) : "every verticle") + " is paused for "
                + seconds(wanted.length());
        return context.journal().record("ChaosVerticlePaused", actor, message).thenCompose(recorded -> {
            CompletableFuture<?>[] pauses = names.stream()
                    .map(name -> context.targets()
                            .pause(name, wanted.length(), "on purpose, by " + actor)
                            .toCompletableFuture())
                    .toArray(CompletableFuture[]::new);
            return CompletableFuture.allOf(pauses).thenApply(v -> new ChaosResult(message, recorded));
        });
    }

    private CompletionStage<ChaosResult> failNextMounts(ChaosAction.FailNextMounts wanted, String actor) {
        Optional<String> elsewhere = wanted.node().filter(node -> !node.equals(context.node()));
        if (elsewhere.isPresent()) {
            throw new ChaosException(
                    ChaosErrorKind.NOT_FOUND,
                    "Node " + elsewhere.get() + " not found; this process serves node " + context.node());
        }
        String message = "the next " + wanted.count() + " volume set-ups within " + seconds(wanted.length())
                + " fail on purpose: " + wanted.reason();
        return context.journal().record("ChaosMountsToFail", actor, message).thenApply(recorded -> {
            context.faults().failNextMounts(wanted.count(), wanted.reason(), wanted.length());
            return new ChaosResult(message, recorded);
        });
    }

    private CompletionStage<ChaosResult> hangServer(ChaosAction.HangServer wanted, String actor) {
        String message = "NFS server " + wanted.server() + " is treated as hanging for " + seconds(wanted.length());
        return context.journal().record("ChaosServerHung", actor, message).thenApply(recorded -> {
            context.faults().hang(wanted.server(), wanted.length());
            return new ChaosResult(message, recorded);
        });
    }

    private CompletionStage<ChaosResult> startRun(
            ChaosAction.Monkey wanted, String actor, List<ChaosTargets.ChaosTarget> all) {
        wanted.targets().forEach(name -> named(name, all));
        Set<String> candidates = wanted.targets().isEmpty()
                ? all.stream()
                        .map(ChaosTargets.ChaosTarget::name)
                        .filter(name -> !name.equals(VERTICLE))
                        .collect(Collectors.toSet())
                : Set.copyOf(wanted.targets());
        if (candidates.contains(VERTICLE)) {
            throw new ChaosException(
                    ChaosErrorKind.INVALID, "Cannot kill verticle \"" + VERTICLE + "\" at random: it runs the kills");
        }
        long seed = wanted.seed().orElseGet(context.seeds());
        String message = "a random verticle is killed every " + seconds(wanted.every()) + " for "
                + seconds(wanted.length()) + " (seed " + seed + ")"
                + (wanted.targets().isEmpty() ? "" : ", of " + String.join(", ", wanted.targets()));
        return context.journal().record("ChaosMonkeyBegun", actor, message).thenApply(recorded -> {
            Instant until = context.clock().instant().plus(wanted.length());
            ChaosRun run = new ChaosRun(candidates, wanted.every(), until, seed, actor);
            currentRun.set(Optional.of(run));
            scheduleNext(run);
            return new ChaosResult(message, recorded);
        });
    }

    private void scheduleNext(ChaosRun run) {
        timers.get().ifPresent(each -> each.after(run.every(), () -> killNext(run)));
    }

    private boolean isCurrent(ChaosRun run) {
        return currentRun.get().filter(current -> current == run).isPresent();
    }

    private void killNext(ChaosRun run) {
        if (!isCurrent(run)) {
            return;
        }
        if (run.isOver(context.clock().instant())) {
            currentRun.set(Optional.empty());
            return;
        }
        context.targets()
                .all()
                .thenCompose(all -> {
                    ChaosTargets.ChaosTarget target = run.choose(all);
                    if (!target.canBeKilled()) {
                        return CompletableFuture.completedStage(false);
                    }
                    run.count();
                    return kill(target, run.actor());
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.atWarn().setCause(failure).log("Failed to kill a random verticle");
                    }
                    scheduleNext(run);
                });
    }

    private CompletionStage<ChaosResult> stop(String actor) {
        disarm();
        String message = "all faults have ended, and paused verticles are started";
        return context.journal()
                .record("ChaosStopped", actor, message)
                .thenApply(recorded -> new ChaosResult(message, recorded));
    }

    private static ChaosTargets.ChaosTarget named(String name, List<ChaosTargets.ChaosTarget> all) {
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ChaosException(
                        ChaosErrorKind.NOT_FOUND,
                        "Verticle \"" + name + "\" not found; expected one of "
                                + all.stream()
                                        .map(ChaosTargets.ChaosTarget::name)
                                        .collect(Collectors.joining(", "))));
    }

    /** Describes the armed faults; "" if there are none. Excludes pauses, which the verticles report themselves. */
    public String armed() {
        List<String> all = new ArrayList<>();
        context.faults().mounts().ifPresent(each -> all.add(each.left() + " volume set-ups will fail"));
        context.faults().hung().forEach(each -> all.add("server " + each.server() + " hangs until " + each.until()));
        running().ifPresent(run -> all.add("random verticles are killed until " + run.until()));
        return String.join("; ", all);
    }

    private Optional<ChaosRun> running() {
        return currentRun.get().filter(run -> !run.isOver(context.clock().instant()));
    }

    /** Returns the state of the verticles and the armed faults. */
    public CompletionStage<ObjectNode> report() {
        return context.targets().all().thenApply(all -> {
            ObjectNode report = ChaosReport.of(context.node(), all);
            ArrayNode faults = report.putArray("faults");
            context.faults().mounts().ifPresent(each -> ChaosReport.add(faults, each));
            context.faults().hung().forEach(each -> ChaosReport.add(faults, each));
            all.stream()
                    .filter(ChaosTargets.ChaosTarget::isPaused)
                    .forEach(each -> ChaosReport.addPaused(faults, each));
            running().ifPresent(run -> ChaosReport.add(faults, run));
            return report;
        });
    }

    private static String seconds(Duration length) {
        long millis = length.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }

    /** Builds the JSON report. Stateless. */
    private static final class ChaosReport {
        private static final double MILLIS = 1000;

        private ChaosReport() {}

        static ObjectNode of(String node, List<ChaosTargets.ChaosTarget> verticles) {
            ObjectNode report = JsonNodeFactory.instance.objectNode();
            report.put("kind", "Chaos").put("apiVersion", "mooring.dev/v1").put("node", node);
            ArrayNode all = report.putArray("verticles");
            for (ChaosTargets.ChaosTarget each : verticles) {
                ObjectNode verticle = all.addObject()
                        .put("name", each.name())
                        .put("state", each.state())
                        .put("restarts", each.restarts())
                        .put("deathsInARow", each.deathsInARow());
                each.lastCause().ifPresent(cause -> verticle.put("lastCause", cause));
                each.until().ifPresent(until -> verticle.put("until", until.toString()));
            }
            return report;
        }

        static void add(ArrayNode faults, Faults.ArmedMountFailures mounts) {
            faults.addObject()
                    .put("fault", "fail-next-mounts")
                    .put("left", mounts.left())
                    .put("reason", mounts.reason())
                    .put("until", mounts.until().toString());
        }

        static void add(ArrayNode faults, Faults.HungServer hung) {
            faults.addObject()
                    .put("fault", "hang-server")
                    .put("server", hung.server())
                    .put("until", hung.until().toString());
        }

        static void addPaused(ArrayNode faults, ChaosTargets.ChaosTarget paused) {
            ObjectNode fault = faults.addObject().put("fault", "pause").put("verticle", paused.name());
            paused.until().ifPresent(until -> fault.put("until", until.toString()));
        }

        static void add(ArrayNode faults, ChaosRun run) {
            ObjectNode fault = faults.addObject()
                    .put("fault", "monkey")
                    .put("everySeconds", run.every().toMillis() / MILLIS)
                    .put("until", run.until().toString())
                    .put("seed", run.seed())
                    .put("killed", run.killed());
            ArrayNode among = fault.putArray("among");
            run.targets().stream().sorted().forEach(among::add);
        }
    }

    /**
     * Records injected faults in the history, so that they are not mistaken for real ones. Thread-safe; never blocks.
     */
    @FunctionalInterface
    public interface FaultJournal {
        /**
         * Records a fault.
         *
         * @param type of the event
         * @param actor the requesting user
         * @param message a sentence for people
         * @return whether it was recorded in time; if not, the fault is injected nevertheless
         */
        CompletionStage<Boolean> record(String type, String actor, String message);
    }
}
