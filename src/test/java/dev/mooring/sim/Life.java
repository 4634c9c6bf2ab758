package dev.mooring.sim;

import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.schema.Schemas;
import dev.mooring.model.Event;
import dev.mooring.sim.Findings.Finding;
import dev.mooring.sim.Plan.Act;
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
 * One life of the whole system, as a {@link Plan} wants it: acts of users and of misfortune with everything in between; then misfortune ends and all has to
 * come to rest as it should be; then users take everything away and nothing may be left.
 */
final class Life {
    private static final Schemas SCHEMAS = Schemas.ofThisProgram();
    private static final int LONGEST_WAIT_MILLIS = 90_000;
    private static final int LONGEST_JUMP_SECONDS = 7200;

    /** How often it is looked whether all has come to rest, and how long that may take: longer than the longest back-off of all. */
    private static final Duration LOOK = Duration.ofSeconds(61);

    private static final int LOOKS = 40;

    private final Plan plan;
    private final Schedule schedule;
    private final Findings findings = new Findings();
    private final Coverage coverage = new Coverage();
    private final List<String> diary = new ArrayList<>();
    private final Random random = new Random(0);
    private final SimStore store;
    private final Truth truth;
    private final WorldChecks checks;
    private final SimUsers users;
    private final SimWatchers watchers;
    private final SimCluster cluster;
    private final KindTable kinds;
    private Optional<SimProcess> process = Optional.empty();
    private int incarnations;
    private int act = -1;
    private boolean resting;
    private String where = "the beginning";

    /**
     * How it went.
     *
     * @param act the last one begun; -1 before the first
     * @param where in words
     * @param trace the same for two lives that went exactly alike
     * @param latest events
     */
    record Outcome(
            Plan plan,
            Optional<Finding> finding,
            long steps,
            int act,
            String where,
            long trace,
            Coverage coverage,
            List<String> diary,
            List<Event> latest,
            SimStore store) {}

    Life(Plan plan) {
        this.plan = plan;
        this.schedule = new Schedule(plan.seed());
        Random seeds = new Random(plan.seed() ^ 0x1234_5678_9abcL);
        this.store = new SimStore(new Random(seeds.nextLong()), coverage);
        this.checks = new WorldChecks(findings);
        this.truth = new Truth(findings, checks::event);
        this.kinds = new KindTable(SCHEMAS, schedule.clock());
        this.users = new SimUsers(schedule, random, this::api, findings, coverage);
        this.watchers = new SimWatchers(schedule, new Random(seeds.nextLong()), this::api, findings, coverage);
        this.cluster = new SimCluster(schedule, new Random(seeds.nextLong()), plan.nodes(), findings, coverage);
    }

    private Optional<SimApi> api() {
        return process.filter(each -> each.life().isAlive()).map(SimProcess::api);
    }

    Outcome live() {
        try {
            start();
            for (int i = 0; i < plan.acts().size() && findings.isEmpty(); i++) {
                act = i;
                where = "act " + plan.acts().get(i).number();
                perform(plan.acts().get(i));
            }
            if (findings.isEmpty()) {
                comeToRest();
            }
            if (findings.isEmpty()) {
                takeEverythingAway();
            }
        } catch (RuntimeException | AssertionError e) {
            findings.report(
                    "broken",
                    "the simulation broke: " + e + " at "
                            + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)));
        }
        Outcome outcome = new Outcome(
                plan,
                findings.all().stream().findFirst(),
                schedule.steps(),
                act,
                where,
                schedule.trace(),
                coverage,
                diary,
                List.copyOf(truth.latest()),
                store);
        process.ifPresent(SimProcess::kill);
        return outcome;
    }

    private void perform(Act next) {
        random.setSeed(next.seed());
        switch (next.deed()) {
            case USER -> diary.add(next.number() + " user: " + users.act());
            case MACHINE -> diary.add(next.number() + " machine: " + cluster.misfortune(random));
            case WATCHER -> watchers.act();
            case WAIT -> {
                Duration time = Duration.ofMillis(random.nextInt(LONGEST_WAIT_MILLIS));
                diary.add(next.number() + " wait " + time);
                runFor(time);
            }
            case VERTICLE_KILLED -> withProcess(next, this::killVerticle);
            case LEDGER_THREAD_KILLED -> {
                diary.add(next.number() + " the ledger's thread will be killed");
                store.interruptSoon();
            }
            case PROCESS_KILLED ->
                withProcess(next, alive -> {
                    coverage.hit("process killed", "running");
                    restart(store::afterKill);
                });
            case PROCESS_CRASHES_WRITING -> {
                diary.add(next.number() + " the process will crash in a write");
                store.crashSoon();
            }
            case POWER_FAILS ->
                withProcess(next, alive -> {
                    coverage.hit("power fails", "running");
                    cluster.powerFails();
                    restart(store::afterPowerFailure);
                });
            case SYNC_FAILS -> {
                diary.add(next.number() + " a sync will fail");
                store.failSync();
            }
            case DISK_FULL -> {
                diary.add(next.number() + " the disk fills up");
                store.fill();
            }
            case CLOCK_SET -> {
                Duration jump = Duration.ofSeconds(random.nextInt(2 * LONGEST_JUMP_SECONDS) - LONGEST_JUMP_SECONDS);
                diary.add(next.number() + " the clock is set by " + jump);
                coverage.hit("clock set", jump.isNegative() ? "back" : "forward");
                schedule.setClockBy(jump);
            }
        }
        for (int i = 0; i < next.steps() && findings.isEmpty(); i++) {
            schedule.step();
            afterStep();
        }
    }

    private void withProcess(Act next, Consumer<SimProcess> deed) {
        diary.add(next.number() + " " + next.deed());
        process.ifPresent(deed);
    }

    private void killVerticle(SimProcess alive) {
        List<String> names = alive.verticles();
        String name = names.get(random.nextInt(names.size()));
        coverage.hit("verticle killed", name);
        alive.killVerticle(name);
    }

    /** After each step: what has become true is looked at, and a server that is dead is followed by another. */
    private void afterStep() {
        SimProcess current = process.orElseThrow();
        truth.observe(current.spine());
        Breakages.ofThisProcess().take().forEach(each -> findings.report("broken", each));
        if (current.hasCrashed()) {
            boolean powerToo = random.nextBoolean();
            if (powerToo) {
                cluster.powerFails();
            }
            restart(powerToo ? store::afterPowerFailure : store::afterKill);
        } else if (current.spine().ledger().readOnly().isPresent() && random.nextInt(40) == 0) {
            // An operator has read why, has made room, and starts it again.
            coverage.hit("read-only", "restarted");
            restart(store::afterKill);
        }
    }

    private void restart(Runnable disk) {
        process.ifPresent(SimProcess::kill);
        process = Optional.empty();
        disk.run();
        store.forgive();
        if (random.nextInt(4) == 0) {
            store.flipABit(truth.known(), schedule.clock(), findings);
        }
        start();
    }

    private void start() {
        try {
            SimProcess begun = new SimProcess(
                    schedule,
                    ++incarnations,
                    new SimProcess.Given(
                            store.disk(),
                            new Random(plan.seed() * 31 + incarnations),
                            kinds,
                            cluster.firstNode(),
                            Optional.of(plan.keeps()).filter(keeps -> keeps > 0)));
            process = Optional.of(begun);
            truth.observe(begun.spine());
            users.acks().check(begun.spine().ledger().world(), begun.spine().log());
            cluster.start(begun);
            if (resting) {
                watchers.hurry();
            }
        } catch (IOException | RuntimeException e) {
            findings.report("I1", "after " + where + " the log does not open: " + e);
            throw new IllegalStateException(e);
        }
    }

    private void runFor(Duration time) {
        long end = schedule.nanos() + time.toNanos();
        schedule.runUntil(
                () -> {
                    afterStep();
                    return schedule.nanos() >= end || !findings.isEmpty();
                },
                time);
    }

    /** Misfortune ends; a bounded time later everything is as it should be (I7). */
    private void comeToRest() {
        where = "coming to rest";
        users.calm();
        store.forgive();
        cluster.forgive();
        if (process.orElseThrow().spine().ledger().readOnly().isPresent()) {
            restart(store::afterKill);
        }
        resting = true;
        watchers.hurry();
        awaitRest(() -> {
            users.expectations(truth.known());
            cluster.compare(truth.known());
        });
        if (findings.isEmpty()) {
            wholeCheck();
        }
    }

    private void takeEverythingAway() {
        where = "taking everything away";
        users.deleteEverything();
        awaitRest(() -> {
            users.left(truth.known()).forEach(each -> findings.report("I7", each + " is still there"));
            cluster.leftovers().forEach(each -> findings.report("I7", "left over: " + each));
            cluster.compare(truth.known());
        });
        if (findings.isEmpty()) {
            wholeCheck();
        }
    }

    private void awaitRest(Runnable look) {
        List<Finding> missing = List.of();
        for (int i = 0; i < LOOKS && findings.isEmpty(); i++) {
            runFor(LOOK);
            missing = findings.of(look);
            if (missing.isEmpty()) {
                return;
            }
        }
        if (findings.isEmpty()) {
            Finding first = missing.get(0);
            findings.report(first.invariant(), "not within " + LOOK.multipliedBy(LOOKS) + ": " + first.what());
        }
    }

    private void wholeCheck() {
        checks.quiescent(truth.known());
        watchers.quiescent(truth.known());
        try {
            World replayed = SimStore.open(store.disk().copy(), schedule.clock());
            if (replayed.revision() > truth.known().revision()) {
                findings.report("I1", "replay ends with revision " + replayed.revision() + ", which nobody has seen");
            } else {
                checks.replayed(truth.known(), replayed);
            }
        } catch (IOException e) {
            findings.report("I1", "the log cannot be replayed: " + e);
        }
    }
}
