package dev.mooring.sim.user;

import dev.mooring.model.Scope;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Living;
import dev.mooring.sim.Schedule;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.Strand;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Several who watch, each in its own way: fast, slow, losing the connection, coming back after the server died. {@link #act} now and then has one
 * of them do something; {@link #hurry} has all catch up, and {@link #quiescent} finds out whether all have seen everything.
 */
public final class SimWatchers {
    private static final List<Scope> SCOPES = List.of(
            Scope.all(),
            Scope.resource(Pools.CLAIMS),
            Scope.resource(Pools.VOLUMES),
            Scope.resource(Pools.PODS),
            Scope.namespace(Pools.PODS, "default"),
            Scope.namespace(Pools.CLAIMS, "team-a"),
            Scope.resource(StorageNames.ACTUAL_VOLUMES),
            Scope.resource("events"));

    private static final int COUNT = 4;

    /** How long it may take until somebody who is in a hurry has seen something. */
    private static final Duration JUST_NOW = Duration.ofSeconds(5);

    private final Schedule schedule;
    private final Supplier<Optional<SimApi>> api;
    private final Findings findings;
    private final Chance chance;
    private final List<Watcher> watchers = new ArrayList<>();
    private boolean hurried;

    /** What all of them share. */
    record Surroundings(Living life, Findings findings, Coverage coverage) {
        void after(Duration delay, Strand strand, Runnable task) {
            Disposable unused = life.after(delay, strand, task);
        }
    }

    public SimWatchers(
            Schedule schedule, Random random, Supplier<Optional<SimApi>> api, Findings findings, Coverage coverage) {
        this.schedule = schedule;
        this.api = api;
        this.findings = findings;
        this.chance = new Chance(random);
        Surroundings around = new Surroundings(new Living(schedule, "watchers"), findings, coverage);
        Watcher.Temper[] tempers = Watcher.Temper.values();
        for (int i = 0; i < COUNT; i++) {
            Scope scope = i == 0 ? Scope.all() : chance.one(SCOPES);
            Chance own = new Chance(new Random(random.nextLong()));
            watchers.add(new Watcher("watcher-" + i, scope, tempers[i % tempers.length], own, around));
        }
    }

    /** One of them does something: connects, is cut off, comes back, or compares what it has with the World. */
    public void act() {
        Optional<SimApi> server = api.get();
        if (server.isEmpty()) {
            return;
        }
        Watcher watcher = watchers.get(chance.below(watchers.size()));
        if (!watcher.isConnected()) {
            watcher.connect(server.get());
        } else if (chance.percent(30)) {
            watcher.drop();
            if (chance.percent(60)) {
                watcher.connect(server.get());
            }
        } else {
            watcher.compare(server.get().spine().ledger().world());
        }
    }

    /** All are connected from now on and take what there is: to be called when faults have ended, and again after each start of a server. */
    public void hurry() {
        hurried = true;
        api.get().ifPresent(server -> {
            for (Watcher watcher : watchers) {
                watcher.hurry();
                if (!watcher.isConnected()) {
                    watcher.connect(server);
                }
            }
        });
    }

    /** Whether all that are connected have seen everything, which is compared. */
    public boolean hasCaughtUp(World world) {
        return watchers.stream().allMatch(watcher -> watcher.compare(world));
    }

    /**
     * After {@link #hurry} and time enough: all have seen all but what has only just happened. One that was told that history is cut off begins
     * anew.
     */
    public void quiescent(World world) {
        Optional<SimApi> server = api.get();
        for (Watcher watcher : watchers) {
            if (!watcher.isConnected()) {
                server.ifPresent(watcher::connect);
            } else if (!watcher.compare(world)
                    && hurried
                    && watcher.isLate(schedule.clock().instant().minus(JUST_NOW))) {
                findings.report("I8", watcher + " has not seen everything up to " + world.revision());
            }
        }
    }
}
