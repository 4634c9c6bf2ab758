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
import dev.mooring.world.Spine;
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

/** A real log, ledger and hub on a disk in memory, with the threads they have in a server. */
public final class LiveSpine implements AutoCloseable {
    private static final long SEGMENT_BYTES = 20_000;
    private static final int RECENT_EVENTS = 64;

    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor(LiveSpine::daemon);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Spine spine;
    private CompletableFuture<Void> ended;
    private volatile boolean stopped;

    public LiveSpine() throws IOException {
        Spine.Options options = new Spine.Options(
                Path.of("/data/log"), SEGMENT_BYTES, new Ledger.Limits(10_000, 64, 1 << 20), RECENT_EVENTS, 1 << 24);
        spine = Spine.open(new SimulatedDisk(), options, Clock.systemUTC(), registry, dispatcher);
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
                        spine.ledger().run(() -> {}, () -> stopped);
                        end.complete(null);
                    } catch (Exception e) {
                        end.completeExceptionally(e);
                    }
                })
                .start();
    }

    /** From now on proposals wait. */
    void stopLedger() {
        stopped = true;
        spine.ledger().wakeUp();
        get(ended);
    }

    /** Refuses what waits. */
    void refuseAll() {
        spine.ledger().refuseAll(Outcome.Reason.STOPPED, "meant to happen");
    }

    public ControlParts parts(Scheduler reading, Clock clock) {
        return new ControlParts(spine.ledger(), spine.hub(), reading, clock, registry, Backoff.DEFAULT);
    }

    public SimpleMeterRegistry registry() {
        return registry;
    }

    public World world() {
        return spine.ledger().world();
    }

    /** Puts objects, whatever was there. */
    public void put(String yaml) {
        List<CompletableFuture<Outcome>> answers = Worlds.objects(yaml).stream()
                .map(object ->
                        Proposal.by("tester", "Put").put(Worlds.draft(object)).build())
                .map(this::propose)
                .toList();
        answers.forEach(LiveSpine::committed);
    }

    public void put(ObjectNode object) {
        put(object.toString());
    }

    public void remove(String key) {
        StoredObject seen = world().get(ObjectKey.parse(key)).orElseThrow();
        committed(propose(Proposal.by("tester", "Removed").remove(seen).build()));
    }

    public CompletableFuture<Outcome> propose(Proposal proposal) {
        return spine.ledger().propose(proposal).toCompletableFuture();
    }

    private static void committed(CompletableFuture<Outcome> answer) {
        if (!(get(answer) instanceof Outcome.Committed)) {
            throw new AssertionError(get(answer));
        }
    }

    /** Cuts off all the history that can be. */
    void forgetHistory() throws IOException {
        Retention little = new Retention(Optional.empty(), OptionalLong.of(1));
        new Snapshotter(
                        spine.log(),
                        spine.ledger(),
                        spine.hub(),
                        new Snapshotter.Policy(1, Duration.ofHours(1), little),
                        new TestScheduler(),
                        new SimpleMeterRegistry())
                .write();
    }

    public static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        stopLedger();
        dispatcher.shutdown();
        spine.close();
    }
}
