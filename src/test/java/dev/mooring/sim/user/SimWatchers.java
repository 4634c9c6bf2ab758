package dev.mooring.sim.user;

import dev.mooring.model.Scope;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Several watchers: fast, slow, disconnecting and reconnecting after a restart. {@link #step} performs one action of
 * one watcher; {@link #catchUp} lets all catch up, and {@link #quiescent} checks that all have seen everything.
 */
public final class SimWatchers {
    private static final List<Scope> SCOPES = List.of(
            Scope.all(),
            Scope.resource(NamePools.CLAIMS),
            Scope.resource(NamePools.VOLUMES),
            Scope.resource(NamePools.PODS),
            Scope.namespace(NamePools.PODS, "default"),
            Scope.namespace(NamePools.CLAIMS, "team-a"),
            Scope.resource(StorageNames.ACTUAL_VOLUMES),
            Scope.resource("events"));

    private static final int COUNT = 4;

    /** Maximum delay of an event for a watcher that catches up. */
    private static final Duration MAX_DELAY = Duration.ofSeconds(5);

    private final DeterministicScheduler scheduler;
    private final Supplier<Optional<SimApi>> api;
    private final InvariantViolations violations;
    private final SeededRandom seededRandom;
    private final List<SimWatcher> watchers = new ArrayList<>();
    private boolean catchingUp;

    /** Dependencies shared by all watchers. */
    record WatcherContext(SimTaskGroup taskGroup, InvariantViolations violations, Coverage coverage) {
        void after(Duration delay, SimSerialExecutor executor, Runnable task) {
            Disposable unused = taskGroup.after(delay, executor, task);
        }
    }

    public SimWatchers(
            DeterministicScheduler scheduler,
            Random random,
            Supplier<Optional<SimApi>> api,
            InvariantViolations violations,
            Coverage coverage) {
        this.scheduler = scheduler;
        this.api = api;
        this.violations = violations;
        this.seededRandom = new SeededRandom(random);
        WatcherContext context = new WatcherContext(new SimTaskGroup(scheduler, "watchers"), violations, coverage);
        SimWatcher.ReadPace[] paces = SimWatcher.ReadPace.values();
        for (int i = 0; i < COUNT; i++) {
            Scope scope = i == 0 ? Scope.all() : seededRandom.one(SCOPES);
            SeededRandom own = new SeededRandom(new Random(random.nextLong()));
            watchers.add(new SimWatcher("watcher-" + i, scope, paces[i % paces.length], own, context));
        }
    }

    /** Lets one watcher connect, disconnect, reconnect or compare its mirror with the World. */
    public void step() {
        Optional<SimApi> server = api.get();
        if (server.isEmpty()) {
            return;
        }
        SimWatcher watcher = watchers.get(seededRandom.below(watchers.size()));
        if (!watcher.isConnected()) {
            watcher.connect(server.get());
        } else if (seededRandom.percent(30)) {
            watcher.disconnect();
            if (seededRandom.percent(60)) {
                watcher.connect(server.get());
            }
        } else {
            watcher.compare(server.get().stateStore().ledger().world());
        }
    }

    /** Connects all watchers and lets them catch up; call when faults have ended and after each start of a server. */
    public void catchUp() {
        catchingUp = true;
        api.get().ifPresent(server -> {
            for (SimWatcher watcher : watchers) {
                watcher.catchUp();
                if (!watcher.isConnected()) {
                    watcher.connect(server);
                }
            }
        });
    }

    /** Returns whether all watchers have caught up; compares their mirrors. */
    public boolean hasCaughtUp(World world) {
        return watchers.stream().allMatch(watcher -> watcher.compare(world));
    }

    /**
     * Checks, some time after {@link #catchUp}, that all watchers have seen everything except recent events. A watcher
     * whose revision has expired starts again.
     */
    public void quiescent(World world) {
        Optional<SimApi> server = api.get();
        for (SimWatcher watcher : watchers) {
            if (!watcher.isConnected()) {
                server.ifPresent(watcher::connect);
            } else if (!watcher.compare(world)
                    && catchingUp
                    && watcher.isLate(scheduler.clock().instant().minus(MAX_DELAY))) {
                violations.report("I8", watcher + " has not seen everything up to " + world.revision());
            }
        }
    }
}
