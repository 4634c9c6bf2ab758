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

/** A StateStore on a given disk, with the ledger's thread. */
final class LedgerFixture implements AutoCloseable {
    static final Path DIRECTORY = Path.of("/data/log");
    static final Ledger.Limits LIMITS = new Ledger.Limits(10_000, 64, 1 << 20);

    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final StateStore store;
    private Thread thread;
    private volatile boolean stopped;
    private CompletableFuture<Throwable> ended;

    LedgerFixture(Disk disk) throws IOException {
        this(disk, DIRECTORY, 20_000, 1 << 10, LIMITS);
    }

    LedgerFixture(Disk disk, Path directory, long segmentBytes, int recentEvents, Ledger.Limits limits)
            throws IOException {
        this(disk, new StateStore.Options(directory, segmentBytes, limits, recentEvents, 1 << 24));
    }

    LedgerFixture(Disk disk, StateStore.Options options) throws IOException {
        store = StateStore.open(disk, options, Clock.systemUTC(), registry, dispatcher);
    }

    /** Starts the ledger's thread. */
    LedgerFixture start() {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        ended = end;
        thread = new Thread(() -> {
            try {
                store.ledger().run(() -> {}, () -> stopped);
                end.complete(null);
            } catch (Throwable e) {
                end.complete(e);
            }
        });
        thread.start();
        return this;
    }

    Ledger ledger() {
        return store.ledger();
    }

    World world() {
        return store.ledger().world();
    }

    CompletableFuture<Outcome> propose(Proposal proposal) {
        return store.ledger().propose(proposal).toCompletableFuture();
    }

    Outcome outcome(Proposal proposal) {
        return get(propose(proposal));
    }

    /** Creates or replaces an object, whatever its revision. */
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

    /** Waits until watchers have been notified of all committed events, which happens after the outcome. */
    void awaitDispatch() {
        // A conflicting proposal completes when the ledger's thread has processed all earlier ones.
        Outcome conflict = outcome(Proposal.by("tester", "Nothing")
                .replace(
                        new StoredObject(Samples.claim("nothing"), Long.MAX_VALUE, new byte[0]),
                        Samples.draft(Samples.claim("nothing"), ""))
                .build());
        assertThat(conflict).isInstanceOf(Outcome.Conflict.class);
        get(CompletableFuture.runAsync(() -> {}, dispatcher));
    }

    /** Interrupts the ledger's thread and waits for its end. */
    Throwable kill() {
        thread.interrupt();
        return get(ended);
    }

    /** Waits for the end of the ledger's thread and returns its exception, or null. */
    Throwable end() {
        return get(ended);
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(90, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (thread != null) {
            stopped = true;
            store.ledger().wakeUp();
            get(ended);
        }
        dispatcher.shutdown();
        store.close();
    }
}
