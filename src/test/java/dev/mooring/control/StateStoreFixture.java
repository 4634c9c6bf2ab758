package dev.mooring.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.log.Retention;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A real log, ledger and watch hub on an in-memory disk, with the threads they have in a server. */
public final class StateStoreFixture implements AutoCloseable {
    private static final long SEGMENT_BYTES = 20_000;
    private static final int RECENT_EVENTS = 64;

    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor(StateStoreFixture::daemon);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StateStore store;
    private CompletableFuture<Void> ended;
    private volatile boolean stopped;

    public StateStoreFixture() throws IOException {
        StateStore.Options options = new StateStore.Options(
                Path.of("/data/log"), SEGMENT_BYTES, new Ledger.Limits(10_000, 64, 1 << 20), RECENT_EVENTS, 1 << 24);
        store = StateStore.open(new SimulatedDisk(), options, Clock.systemUTC(), registry, dispatcher);
        startLedger();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    void startLedger() {
        stopped = false;
        CompletableFuture<Void> end = new CompletableFuture<>();
        ended = end;
        daemon(() -> {
                    try {
                        store.ledger().run(() -> {}, () -> stopped);
                        end.complete(null);
                    } catch (Exception e) {
                        end.completeExceptionally(e);
                    }
                })
                .start();
    }

    /** Stops the ledger; later proposals stay queued. */
    void stopLedger() {
        stopped = true;
        store.ledger().wakeUp();
        get(ended);
    }

    /** Refuses all queued proposals. */
    void refuseAll() {
        store.ledger().refuseAll(Outcome.Reason.STOPPED, "injected failure");
    }

    public ControlContext context(Scheduler reading, Clock clock) {
        return new ControlContext(store.ledger(), store.hub(), reading, clock, registry, Backoff.DEFAULT);
    }

    public SimpleMeterRegistry registry() {
        return registry;
    }

    public World world() {
        return store.ledger().world();
    }

    /** Creates or replaces objects, whatever their revisions. */
    public void put(String yaml) {
        List<CompletableFuture<Outcome>> outcomes = WorldFixture.objects(yaml).stream()
                .map(object -> Proposal.by("tester", "Put")
                        .put(WorldFixture.draft(object))
                        .build())
                .map(this::propose)
                .toList();
        outcomes.forEach(StateStoreFixture::committed);
    }

    public void put(ObjectNode object) {
        put(object.toString());
    }

    /** Removes an object, whatever its revision: a running controller may change it at any time. */
    public void remove(String key) {
        CompletableFuture<Outcome> answer;
        do {
            StoredObject seen = world().get(ObjectKey.parse(key)).orElseThrow();
            answer = propose(Proposal.by("tester", "Removed").remove(seen).build());
        } while (get(answer) instanceof Outcome.Conflict);
        committed(answer);
    }

    public CompletableFuture<Outcome> propose(Proposal proposal) {
        return store.ledger().propose(proposal).toCompletableFuture();
    }

    private static void committed(CompletableFuture<Outcome> answer) {
        if (!(get(answer) instanceof Outcome.Committed)) {
            throw new AssertionError(get(answer));
        }
    }

    /** Removes as much history as possible. */
    void forgetHistory() throws IOException {
        Retention minimal = new Retention(Optional.empty(), OptionalLong.of(1));
        new Snapshotter(
                        store.log(),
                        store.ledger(),
                        store.hub(),
                        new Snapshotter.Policy(1, Duration.ofHours(1), minimal),
                        new TestScheduler(),
                        new SimpleMeterRegistry())
                .write();
    }

    public static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(100, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        stopLedger();
        dispatcher.shutdown();
        store.close();
    }
}
