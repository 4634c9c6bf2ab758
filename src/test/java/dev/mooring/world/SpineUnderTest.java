package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Disk;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A log, world and ledger with its thread, on any disk. */
final class SpineUnderTest implements AutoCloseable {
    static final Path DIRECTORY = Path.of("/data/log");
    static final Ledger.Limits LIMITS = new Ledger.Limits(10_000, 64, 1 << 20);

    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final Spine spine;
    private Thread thread;
    private volatile boolean stopped;
    private CompletableFuture<Throwable> ended;

    SpineUnderTest(Disk disk) throws IOException {
        this(disk, DIRECTORY, 20_000, 1 << 10, LIMITS);
    }

    SpineUnderTest(Disk disk, Path directory, long segmentBytes, int recentEvents, Ledger.Limits limits)
            throws IOException {
        Spine.Options options = new Spine.Options(directory, segmentBytes, limits, recentEvents, 1 << 24);
        spine = Spine.open(disk, options, Clock.systemUTC(), registry, dispatcher);
    }

    /** Gives the ledger a thread. */
    SpineUnderTest start() {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        ended = end;
        thread = new Thread(() -> {
            try {
                spine.ledger().run(() -> {}, () -> stopped);
                end.complete(null);
            } catch (Throwable e) {
                end.complete(e);
            }
        });
        thread.start();
        return this;
    }

    Ledger ledger() {
        return spine.ledger();
    }

    World world() {
        return spine.ledger().world();
    }

    CompletableFuture<Outcome> propose(Proposal proposal) {
        return spine.ledger().propose(proposal).toCompletableFuture();
    }

    Outcome outcome(Proposal proposal) {
        return get(propose(proposal));
    }

    /** Puts an object, whatever was there. */
    Outcome put(ObjectKey key, String content) {
        return outcome(putting(key, content));
    }

    Outcome remove(ObjectKey key) {
        return outcome(Proposal.by("tester", "Removed")
                .remove(world().get(key).orElseThrow())
                .build());
    }

    static Proposal putting(ObjectKey key, String content) {
        return Proposal.by("tester", "Put").put(Samples.draft(key, content)).build();
    }

    static Proposal creating(ObjectKey key, String content) {
        Draft draft = Samples.draft(key, content);
        return Proposal.by("tester", "Created").create(draft).build();
    }

    /** Returns when the watchers of everything committed so far have been woken: that comes after the answer. */
    void awaitDispatch() {
        // A proposal that changes nothing is answered when the ledger's thread is done with all before it.
        Outcome nothing = outcome(Proposal.by("tester", "Nothing")
                .replace(
                        new StoredObject(Samples.claim("nothing"), Long.MAX_VALUE, new byte[0]),
                        Samples.draft(Samples.claim("nothing"), ""))
                .build());
        assertThat(nothing).isInstanceOf(Outcome.Conflict.class);
        get(CompletableFuture.runAsync(() -> {}, dispatcher));
    }

    /** Interrupts the ledger's thread, wherever it is, and waits for its end. */
    Throwable kill() {
        thread.interrupt();
        return get(ended);
    }

    /** What the ledger's thread ended with. */
    Throwable end() {
        return get(ended);
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (thread != null) {
            stopped = true;
            spine.ledger().wakeUp();
            get(ended);
        }
        dispatcher.shutdown();
        spine.close();
    }
}
