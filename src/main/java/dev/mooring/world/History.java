package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Snapshot;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * Provides the World at any retained revision. A returned World behaves like the live one.
 *
 * <p>A recent revision is built backwards from the live World, by undoing the events that are still in memory; the cost
 * is proportional to the changes since. An older one is built forwards from the newest snapshot before it, or from a
 * cached past World if that is later. Unchanged objects are shared with the live World, so a past World needs memory
 * only for the difference. {@link PastWorlds} bounds how many are built and held. Thread-safe.
 */
public final class History {
    /**
     * Objects smaller than this are not looked up in the live World during a replay, because the lookup costs more than
     * it saves.
     */
    private static final int SHARED_BYTES = 4096;

    /** Memory cost of an object that a past World shares with the live World: its tree slot. */
    private static final int SHARED_COST = 16;

    /** Reader for the server's own requests. */
    private static final Reader SERVER = new Reader("the server", true);

    /**
     * Limits of reading past Worlds.
     *
     * @param builds past Worlds that are built concurrently
     * @param waiting revisions that wait to be built
     * @param perReader limit of both for one reader
     * @param bytes total memory of past Worlds, without objects shared with the live one
     */
    public record Limits(int builds, int waiting, int perReader, long bytes) {
        public static final Limits DEFAULT = of(Long.MAX_VALUE);

        public static Limits of(long bytes) {
            return new Limits(2, 16, 4, bytes);
        }
    }

    /** A reader for accounting: a single reader cannot use up all resources, and some are reserved for admins. */
    public record Reader(String name, boolean isAdmin) {}

    /** A World that stays in memory until it is closed. */
    public static final class PastWorld implements AutoCloseable {
        private final World world;
        private final Runnable release;
        private final AtomicBoolean closed = new AtomicBoolean();

        PastWorld(World world, Runnable release) {
            this.world = world;
            this.release = release;
        }

        public World world() {
            return world;
        }

        /** Releases the memory; idempotent. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release.run();
            }
        }
    }

    private final EventLog log;
    private final Ledger ledger;
    private final WatchHub hub;
    private final PastWorlds worlds;
    private final EventHistory events;

    public History(EventLog log, Ledger ledger, WatchHub hub, Limits limits) {
        this.log = log;
        this.ledger = ledger;
        this.hub = hub;
        // If the World is larger than planned, because the heap was made smaller, history gets less memory.
        this.worlds = new PastWorlds(
                this::build,
                limits,
                () -> Math.max(
                        0,
                        limits.bytes()
                                - Math.max(
                                        0,
                                        ledger.world().bytes()
                                                - ledger.worldLimits().bytes())));
        this.events = new EventHistory(log, ledger, hub);
        hub.prior().setHistory(this);
    }

    /**
     * Returns the World right after an event. Blocks.
     *
     * @throws CompactedException if the revision is no longer retained
     * @throws HistoryUnavailableException if the limits do not allow it now
     * @throws IllegalArgumentException if the revision does not exist yet
     */
    public World at(long revision) throws IOException {
        return at(revision, SERVER);
    }

    World at(long revision, Reader reader) throws IOException {
        try (PastWorld past =
                open(revision, reader, Runnable::run).toCompletableFuture().join()) {
            return past.world();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /**
     * Returns the World right after an event, to be closed after use. Fails as {@link #at} does; never blocks.
     *
     * @param executor runs work that may read from disk
     */
    public CompletionStage<PastWorld> open(long revision, Reader reader, Executor executor) {
        World live = ledger.world();
        if (revision == live.revision()) {
            return CompletableFuture.completedFuture(new PastWorld(live, () -> {}));
        }
        if (revision < 0 || revision > live.revision()) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "Revision must be from 0 to " + live.revision() + ", the current one, got " + revision));
        }
        return worlds.open(revision, reader, executor);
    }

    /** Returns the memory of past Worlds, without objects shared with the live one. */
    long bytes() {
        return worlds.bytes();
    }

    /** Returns the oldest readable revision. */
    public long oldest() throws IOException {
        long first = log.firstRevision();
        if (first == 1) {
            return 0;
        }
        return log.snapshots().revisions().stream()
                .filter(snapshot -> snapshot >= first - 1)
                .findFirst()
                .orElse(ledger.world().revision());
    }

    /**
     * Returns the newest revision whose event is not later than a time. Blocks.
     *
     * @param now the current time
     * @throws IllegalArgumentException if the time is in the future or before the first retained event; the message
     *     names the range
     */
    public long revisionAt(Instant time, Instant now) throws IOException {
        long newest = ledger.world().revision();
        Optional<Event> first = events.first().map(WorldEvent::event);
        if (first.isEmpty() || time.isAfter(now) || time.isBefore(first.get().time())) {
            String range = first.map(event -> "the log has events from " + event.time() + " (revision "
                            + event.revision() + ") to now (" + newest + ")")
                    .orElse("the log has no events");
            throw new IllegalArgumentException(
                    time + (time.isAfter(now) ? " is in the future: " : " is before the first event: ") + range);
        }
        return Math.min(newest, log.revisionAt(time.toEpochMilli()));
    }

    /** Returns the reader of events. */
    public EventHistory events() {
        return events;
    }

    /** Returns the time of a revision's event; empty if it is not retained, or for revision 0. May read from disk. */
    public Optional<Instant> timeOf(long revision) throws IOException {
        try {
            return events.at(revision).map(event -> event.event().time());
        } catch (CompactedException e) {
            return Optional.empty();
        }
    }

    private World build(long revision, PastWorlds.Memory memory) throws IOException {
        World live = ledger.world();
        try {
            Optional<World> recent = backwards(live, revision, memory);
            return recent.isPresent() ? recent.get() : forwards(live, revision, memory);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private Optional<World> backwards(World live, long revision, PastWorlds.Memory memory) throws IOException {
        World.Editor editor = live.edit();
        Map<ObjectKey, Integer> claimed = new HashMap<>();
        for (long undone = live.revision(); undone > revision; undone--) {
            Optional<WorldEvent> event = hub.recent(undone);
            if (event.isEmpty()) {
                for (int bytes : claimed.values()) {
                    memory.claim(-bytes);
                }
                return Optional.empty();
            }
            StoredObject[] replaced = event.get().replaced();
            editor.undo(event.get().event(), replaced);
            for (int i = 0; i < replaced.length; i++) {
                int bytes = replaced[i] == null ? 0 : replaced[i].bytes();
                Integer before =
                        claimed.put(event.get().event().changes().get(i).key(), bytes);
                memory.claim(bytes - (before == null ? 0 : before));
            }
        }
        return Optional.of(editor.done());
    }

    private World forwards(World live, long revision, PastWorlds.Memory memory) throws IOException {
        Optional<World> cached = memory.startAfter(newestSnapshot(revision));
        if (cached.isPresent()) {
            try (EventReader reader = log.read(cached.get().revision() + 1)) {
                return replay(cached.get(), reader, live, revision, memory);
            }
        }
        Optional<Snapshot> snapshot = log.snapshots().newestUpTo(revision, () -> new Sharing(live, memory));
        World start = snapshot.map(World::of).orElse(World.EMPTY);
        if (start.revision() + 1 < log.firstRevision() && start.revision() != revision) {
            throw new CompactedException(revision, oldest());
        }
        LogPosition from = snapshot.map(Snapshot::position).orElse(LogPosition.BEGINNING);
        try (EventReader reader = log.readAfter(from)) {
            return replay(start, reader, live, revision, memory);
        }
    }

    /** Returns the revision before which a build does not start: of the newest snapshot, or before the first event. */
    private long newestSnapshot(long revision) throws IOException {
        return log.snapshots().revisions().stream()
                .filter(each -> each <= revision)
                .reduce(log.firstRevision() - 1, Math::max);
    }

    private World replay(World start, EventReader reader, World live, long revision, PastWorlds.Memory memory)
            throws IOException {
        World.Editor editor = start.editMany();
        while (editor.revision() < revision) {
            Batch batch = reader.next().orElseThrow(() -> new CompactedException(revision, log.firstRevision()));
            for (Event event : batch.events()) {
                if (event.revision() <= revision) {
                    StoredObject[] replaced = editor.apply(sharing(event, live));
                    claim(event, replaced, start.revision(), live, memory);
                }
            }
        }
        return editor.done().sharingIndexesOf(live);
    }

    /** Returns the event with large objects replaced by the live World's instances. */
    private static Event sharing(Event event, World live) {
        boolean shares = false;
        for (Change change : event.changes()) {
            shares |= !change.isRemoval() && change.object().bytes() >= SHARED_BYTES;
        }
        if (!shares) {
            return event;
        }
        List<Change> changes = event.changes().stream()
                .map(change -> change.isRemoval() ? change : Change.put(shared(change.object(), live), change.prior()))
                .toList();
        return new Event(event.revision(), event.time(), event.type(), event.actor(), event.cause(), changes);
    }

    private static StoredObject shared(StoredObject object, World live) {
        return live.get(object.key()).filter(object::equals).orElse(object);
    }

    /** Accounts for the objects that an event added, and releases those it replaced if an event had added them. */
    private static void claim(Event event, StoredObject[] replaced, long start, World live, PastWorlds.Memory memory)
            throws IOException {
        long bytes = 0;
        for (int i = 0; i < replaced.length; i++) {
            Change change = event.changes().get(i);
            bytes += change.isRemoval() ? 0 : cost(change.object(), live);
            boolean wasAdded = replaced[i] != null && replaced[i].revision() > start;
            bytes -= wasAdded ? cost(replaced[i], live) : 0;
        }
        memory.claim(bytes);
    }

    private static int cost(StoredObject object, World live) {
        boolean isShared = object.bytes() >= SHARED_BYTES
                && live.get(object.key())
                        .filter(now -> now.revision() == object.revision())
                        .isPresent();
        return isShared ? SHARED_COST : object.bytes();
    }

    /**
     * Replaces objects, in key order, by the live World's instances where they are equal, and accounts for the others.
     */
    private static final class Sharing implements UnaryOperator<StoredObject> {
        private final Iterator<StoredObject> live;
        private final PastWorlds.Memory memory;
        private StoredObject next;

        Sharing(World world, PastWorlds.Memory memory) {
            this.live = world.list(Scope.all()).iterator();
            this.memory = memory;
            advance();
        }

        private void advance() {
            next = live.hasNext() ? live.next() : null;
        }

        @Override
        public StoredObject apply(StoredObject loaded) {
            while (next != null && next.key().compareTo(loaded.key()) < 0) {
                advance();
            }
            boolean isShared = next != null && next.equals(loaded);
            try {
                memory.claim(isShared ? SHARED_COST : loaded.bytes());
            } catch (HistoryUnavailableException e) {
                throw new UncheckedIOException(e);
            }
            return isShared ? next : loaded;
        }
    }
}
