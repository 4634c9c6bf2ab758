package dev.mooring.sim;

import dev.mooring.api.resource.KindTable;
import dev.mooring.api.types.Schemas;
import dev.mooring.model.Event;
import dev.mooring.sim.InvariantViolations.InvariantViolation;
import dev.mooring.sim.SimulationPlan.SimulationStep;
import dev.mooring.sim.check.WorldChecks;
import dev.mooring.sim.user.SimUsers;
import dev.mooring.sim.user.SimWatchers;
import dev.mooring.world.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One simulation run of the whole system, as given by a {@link SimulationPlan}: a fault phase with steps of users and
 * faults; then faults end and the system must converge; then users delete everything and nothing may be left.
 */
final class SimulationRun {
    private static final Schemas SCHEMAS = Schemas.ofThisProgram();
    private static final int LONGEST_WAIT_MILLIS = 90_000;
    private static final int LONGEST_JUMP_SECONDS = 7200;

    /** Interval and number of checks for convergence; together longer than the longest back-off. */
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(61);

    private static final int MAX_CHECKS = 40;

    private final SimulationPlan plan;
    private final DeterministicScheduler scheduler;
    private final InvariantViolations violations = new InvariantViolations();
    private final Coverage coverage = new Coverage();
    private final List<String> journal = new ArrayList<>();
    private final Random random = new Random(0);
    private final SimStore store;
    private final CommittedHistory history;
    private final WorldChecks checks;
    private final SimUsers users;
    private final SimWatchers watchers;
    private final SimCluster cluster;
    private final KindTable kinds;
    private Optional<SimProcess> process = Optional.empty();
    private int incarnations;
    private int step = -1;
    private boolean settling;
    private String where = "start";

    /**
     * Result of a run.
     *
     * @param step index of the last step started; -1 before the first
     * @param where phase or step, for people
     * @param trace equal for two identical runs
     * @param latestEvents last events, oldest first
     */
    record SimulationResult(
            SimulationPlan plan,
            Optional<InvariantViolation> violation,
            long schedulerSteps,
            int step,
            String where,
            long trace,
            Coverage coverage,
            List<String> journal,
            List<Event> latestEvents,
            SimStore store) {}

    SimulationRun(SimulationPlan plan) {
        this.plan = plan;
        this.scheduler = new DeterministicScheduler(plan.seed());
        Random seeds = new Random(plan.seed() ^ 0x1234_5678_9abcL);
        this.store = new SimStore(new Random(seeds.nextLong()), coverage);
        this.checks = new WorldChecks(violations);
        this.history = new CommittedHistory(violations, this::observe);
        this.kinds = new KindTable(SCHEMAS, scheduler.clock());
        this.users = new SimUsers(scheduler, random, this::api, violations, coverage);
        this.watchers = new SimWatchers(scheduler, new Random(seeds.nextLong()), this::api, violations, coverage);
        this.cluster = new SimCluster(scheduler, new Random(seeds.nextLong()), plan.nodes(), violations, coverage);
    }

    private void observe(Event event, World before, World after) {
        checks.event(event, before, after);
        users.tenantChecks().event(event);
    }

    private Optional<SimApi> api() {
        return process.filter(each -> each.taskGroup().isAlive()).map(SimProcess::api);
    }

    SimulationResult run() {
        try {
            start();
            for (int i = 0; i < plan.steps().size() && violations.isEmpty(); i++) {
                step = i;
                where = "step " + plan.steps().get(i).number();
                perform(plan.steps().get(i));
            }
            if (violations.isEmpty()) {
                settle();
            }
            if (violations.isEmpty()) {
                deleteEverything();
            }
        } catch (RuntimeException | AssertionError e) {
            violations.report(
                    "broken",
                    "the simulation failed: " + e + " at "
                            + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)));
        }
        SimulationResult outcome = new SimulationResult(
                plan,
                violations.all().stream().findFirst(),
                scheduler.steps(),
                step,
                where,
                scheduler.trace(),
                coverage,
                journal,
                List.copyOf(history.latestEvents()),
                store);
        process.ifPresent(SimProcess::kill);
        return outcome;
    }

    private void perform(SimulationStep next) {
        random.setSeed(next.seed());
        switch (next.kind()) {
            case USER -> journal.add(next.number() + " user: " + users.step());
            case TENANT -> journal.add(next.number() + " tenant: " + users.tenantStep());
            case MACHINE -> journal.add(next.number() + " machine: " + cluster.injectFault(random));
            case WATCHER -> watchers.step();
            case WAIT -> {
                Duration time = Duration.ofMillis(random.nextInt(LONGEST_WAIT_MILLIS));
                journal.add(next.number() + " wait " + time);
                runFor(time);
            }
            case VERTICLE_KILLED -> withProcess(next, this::killVerticle);
            case LEDGER_THREAD_KILLED -> {
                journal.add(next.number() + " kill the ledger's thread in the next write");
                store.interruptSoon();
            }
            case PROCESS_KILLED ->
                withProcess(next, alive -> {
                    coverage.hit("process killed", "running");
                    restart(store::afterKill);
                });
            case PROCESS_CRASHES_WRITING -> {
                journal.add(next.number() + " crash the process in a write");
                store.crashSoon();
            }
            case POWER_FAILS ->
                withProcess(next, alive -> {
                    coverage.hit("power fails", "running");
                    cluster.powerFails();
                    restart(store::afterPowerFailure);
                });
            case SYNC_FAILS -> {
                journal.add(next.number() + " fail the next sync");
                store.failSync();
            }
            case DISK_FULL -> {
                journal.add(next.number() + " fill the disk");
                store.fill();
            }
            case CLOCK_SET -> {
                Duration jump = Duration.ofSeconds(random.nextInt(2 * LONGEST_JUMP_SECONDS) - LONGEST_JUMP_SECONDS);
                journal.add(next.number() + " set the clock by " + jump);
                coverage.hit("clock set", jump.isNegative() ? "back" : "forward");
                scheduler.setClockBy(jump);
            }
        }
        for (int i = 0; i < next.schedulerSteps() && violations.isEmpty(); i++) {
            scheduler.step();
            afterStep();
        }
    }

    private void withProcess(SimulationStep next, Consumer<SimProcess> action) {
        journal.add(next.number() + " " + next.kind());
        process.ifPresent(action);
    }

    private void killVerticle(SimProcess alive) {
        List<String> names = alive.verticles();
        String name = names.get(random.nextInt(names.size()));
        coverage.hit("verticle killed", name);
        alive.killVerticle(name);
    }

    /** Checks the new state after each scheduler step and restarts a server that has crashed. */
    private void afterStep() {
        SimProcess current = process.orElseThrow();
        history.observe(current.stateStore());
        ControllerErrors.ofThisProcess().take().forEach(each -> violations.report("broken", each));
        if (current.hasCrashed()) {
            boolean powerToo = random.nextBoolean();
            if (powerToo) {
                cluster.powerFails();
            }
            restart(powerToo ? store::afterPowerFailure : store::afterKill);
        } else if (current.stateStore().ledger().readOnly().isPresent() && random.nextInt(40) == 0) {
            // An operator makes room and restarts the server.
            coverage.hit("read-only", "restarted");
            restart(store::afterKill);
        }
    }

    private void restart(Runnable disk) {
        process.ifPresent(SimProcess::kill);
        process = Optional.empty();
        disk.run();
        store.clearFaults();
        if (random.nextInt(4) == 0) {
            store.flipABit(history.world(), scheduler.clock(), violations);
        }
        start();
    }

    private void start() {
        try {
            SimProcess started = new SimProcess(
                    scheduler,
                    ++incarnations,
                    new SimProcess.SimProcessContext(
                            store.disk(),
                            new Random(plan.seed() * 31 + incarnations),
                            kinds,
                            cluster.firstNode(),
                            Optional.of(plan.retainedBytes()).filter(bytes -> bytes > 0)));
            process = Optional.of(started);
            history.observe(started.stateStore());
            users.acks()
                    .check(
                            started.stateStore().ledger().world(),
                            started.stateStore().log());
            cluster.start(started);
            if (settling) {
                watchers.catchUp();
            }
        } catch (IOException | RuntimeException e) {
            violations.report("I1", "the log cannot be opened after " + where + ": " + e);
            throw new IllegalStateException(e);
        }
    }

    private void runFor(Duration time) {
        long end = scheduler.nanos() + time.toNanos();
        scheduler.runUntil(
                () -> {
                    afterStep();
                    return scheduler.nanos() >= end || !violations.isEmpty();
                },
                time);
    }

    /** Ends all faults; the system must converge within a bounded time (I7). */
    private void settle() {
        where = "convergence";
        users.stop();
        store.clearFaults();
        cluster.clearFaults();
        if (process.orElseThrow().stateStore().ledger().readOnly().isPresent()) {
            restart(store::afterKill);
        }
        settling = true;
        watchers.catchUp();
        awaitSettled(() -> {
            users.checkLiveness(history.world());
            cluster.compare(history.world());
        });
        if (violations.isEmpty()) {
            checkAll();
        }
    }

    private void deleteEverything() {
        where = "deletion";
        users.deleteEverything();
        awaitSettled(() -> {
            users.left(history.world()).forEach(each -> violations.report("I7", each + " still exists"));
            cluster.leftovers().forEach(each -> violations.report("I7", "left over: " + each));
            cluster.compare(history.world());
        });
        if (violations.isEmpty()) {
            checkAll();
        }
    }

    private void awaitSettled(Runnable check) {
        List<InvariantViolation> missing = List.of();
        for (int i = 0; i < MAX_CHECKS && violations.isEmpty(); i++) {
            runFor(CHECK_INTERVAL);
            missing = violations.collect(check);
            if (missing.isEmpty()) {
                return;
            }
        }
        if (violations.isEmpty()) {
            InvariantViolation first = missing.get(0);
            violations.report(
                    first.invariant(),
                    "not converged within " + CHECK_INTERVAL.multipliedBy(MAX_CHECKS) + ": " + first.message());
        }
    }

    private void checkAll() {
        checks.quiescent(history.world());
        watchers.quiescent(history.world());
        try {
            World replayed = SimStore.open(store.disk().copy(), scheduler.clock());
            if (replayed.revision() > history.world().revision()) {
                violations.report(
                        "I1", "replay ends with revision " + replayed.revision() + ", which was never visible");
            } else {
                checks.replayed(history.world(), replayed);
            }
        } catch (IOException e) {
            violations.report("I1", "the log cannot be replayed: " + e);
        }
    }
}
