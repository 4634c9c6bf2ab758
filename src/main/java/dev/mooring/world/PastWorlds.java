package dev.mooring.world;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The past Worlds that are being built, in use, or cached, one per revision. Requests for the same revision share one
 * build; waiting requests hold no thread. Builds, waiting requests and memory are bounded, per reader and in total;
 * some of each is reserved for admins. Thread-safe.
 */
final class PastWorlds {
    /**
     * Number of cached Worlds; enough for a few clients that page through lists. Each may hold objects that no other
     * World holds.
     */
    private static final int REMEMBERED = 4;

    /** Memory is accounted in steps, so that small objects do not cost a lock each. */
    private static final long STEP_BYTES = 64 * 1024;

    /** A World that uses more than this part of the memory is no start, because its build would claim it twice. */
    private static final int MAX_START_SHARE = 8;

    /** Marks a World that is only cached. */
    private static final CompletableFuture<World> REMEMBERED_ONLY = CompletableFuture.completedFuture(null);

    /** Builds the World of a revision. */
    interface Builder {
        World build(long revision, Memory memory) throws IOException;
    }

    /** The memory account of one past World, without objects shared with the live one. */
    interface Memory {
        /** @param bytes negative to release */
        void claim(long bytes) throws HistoryUnavailableException;

        /**
         * Returns the newest World in memory that is later than a revision and earlier than the one to build, to start
         * from, and claims its memory for this build too.
         */
        Optional<World> startAfter(long revision) throws HistoryUnavailableException;
    }

    private final Builder builder;
    private final History.Limits limits;
    private final LongSupplier maxBytes;

    /** Entries by revision; least recently used first. */
    private final Map<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private final Deque<Entry> waiting = new ArrayDeque<>();
    private int building;
    private long claimed;

    /** @param maxBytes total memory of past Worlds */
    PastWorlds(Builder builder, History.Limits limits, LongSupplier maxBytes) {
        this.builder = builder;
        this.limits = limits;
        this.maxBytes = maxBytes;
    }

    private final class Entry implements Memory {
        private final long revision;
        private final History.Reader reader;
        private final Executor executor;
        private CompletableFuture<World> built = new CompletableFuture<>();

        /**
         * The World while no request uses it. A soft reference, because objects it shared may have left the live World.
         */
        private SoftReference<World> remembered = new SoftReference<>(null);

        /** Number of requests that wait for or use it. */
        private int holders;

        private long bytes;
        private long unclaimed;

        /**
         * Whether the build started from another entry's World. Objects of a start that events replace stay claimed, so
         * a chain of such builds would claim more and more.
         */
        private boolean hasStart;

        Entry(long revision, History.Reader reader, Executor executor) {
            this.revision = revision;
            this.reader = reader;
            this.executor = executor;
        }

        boolean isIdle() {
            return holders == 0 && built.isDone();
        }

        @Override
        public void claim(long more) throws HistoryUnavailableException {
            unclaimed += more;
            if (Math.abs(unclaimed) >= STEP_BYTES) {
                flush();
            }
        }

        @Override
        public Optional<World> startAfter(long oldest) throws HistoryUnavailableException {
            Optional<World> start;
            long startBytes = 0;
            synchronized (PastWorlds.this) {
                Entry nearest = null;
                for (Entry each : entries.values()) {
                    if (!each.hasStart
                            && each.bytes <= maxBytes.getAsLong() / MAX_START_SHARE
                            && each.revision > oldest
                            && each.revision < revision
                            && (nearest == null || each.revision > nearest.revision)
                            && each.world() != null) {
                        nearest = each;
                    }
                }
                start = Optional.ofNullable(nearest).map(Entry::world);
                if (start.isPresent()) {
                    hasStart = true;
                    startBytes = nearest.bytes;
                    entries.get(nearest.revision); // the most recently used one now
                }
            }
            claim(startBytes);
            return start;
        }

        /** Returns the World if it is built and still in memory, else null. */
        private World world() {
            return isIdle() ? remembered.get() : built.getNow(null);
        }

        void flush() throws HistoryUnavailableException {
            long step = unclaimed;
            unclaimed = 0;
            take(this, step);
        }
    }

    /** Returns the current memory of past Worlds. */
    synchronized long bytes() {
        return claimed;
    }

    /**
     * Opens the World of a revision, which stays in memory until the result is closed. Fails with a
     * {@link HistoryUnavailableException} beyond the limits.
     *
     * @param executor runs the build, if this request starts one
     */
    CompletionStage<History.PastWorld> open(long revision, History.Reader reader, Executor executor) {
        CompletableFuture<World> built;
        Entry held;
        Optional<Entry> started = Optional.empty();
        synchronized (this) {
            Entry entry = known(revision);
            if (entry == null) {
                Optional<HistoryUnavailableException> refusal = refusal(reader);
                if (refusal.isPresent()) {
                    return CompletableFuture.failedFuture(refusal.get());
                }
                entry = new Entry(revision, reader, executor);
                entries.put(revision, entry);
                waiting.add(entry);
                started = next();
            }
            entry.holders++;
            built = entry.built;
            held = entry;
        }
        started.ifPresent(this::start);
        return built.thenApply(world -> new History.PastWorld(world, () -> close(held)));
    }

    private Entry known(long revision) {
        Entry entry = entries.get(revision);
        if (entry == null || !entry.isIdle()) {
            return entry;
        }
        World world = entry.remembered.get();
        if (world == null) {
            entries.remove(revision);
            claimed -= entry.bytes;
            return null;
        }
        entry.built = CompletableFuture.completedFuture(world);
        return entry;
    }

    private Optional<HistoryUnavailableException> refusal(History.Reader reader) {
        int limit = reader.isAdmin() ? 2 * limits.waiting() : limits.waiting();
        if (waiting.size() >= limit) {
            return Optional.of(HistoryUnavailableException.busy(
                    "Too many requests for past revisions: " + waiting.size() + " are queued; try again"));
        }
        long own = entries.values().stream()
                .filter(each -> !each.built.isDone() && each.reader.equals(reader))
                .count();
        if (!reader.isAdmin() && own >= limits.perReader()) {
            return Optional.of(HistoryUnavailableException.busy("Too many requests of " + reader.name()
                    + " for different past revisions: " + own + " are in progress; try again"));
        }
        return Optional.empty();
    }

    /** Returns the entry to build next if the limit allows another build; admins have one additional build. */
    private Optional<Entry> next() {
        for (Iterator<Entry> each = waiting.iterator(); each.hasNext(); ) {
            Entry entry = each.next();
            if (building < limits.builds() + (entry.reader.isAdmin() ? 1 : 0)) {
                each.remove();
                building++;
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    private void start(Entry entry) {
        try {
            entry.executor.execute(() -> build(entry));
        } catch (RuntimeException e) {
            failed(entry, e);
        }
    }

    private void build(Entry entry) {
        World world;
        try {
            world = builder.build(entry.revision, entry);
            entry.flush();
        } catch (IOException | RuntimeException | Error e) {
            failed(entry, e);
            return;
        }
        CompletableFuture<World> built;
        Optional<Entry> started;
        synchronized (this) {
            building--;
            built = entry.built;
            started = next();
        }
        started.ifPresent(this::start);
        built.complete(world);
    }

    private void failed(Entry entry, Throwable failure) {
        CompletableFuture<World> built;
        Optional<Entry> started;
        synchronized (this) {
            building--;
            entries.remove(entry.revision, entry);
            claimed -= entry.bytes;
            built = entry.built;
            started = next();
        }
        started.ifPresent(this::start);
        built.completeExceptionally(failure);
    }

    private synchronized void close(Entry entry) {
        entry.holders--;
        if (!entry.isIdle()) {
            return;
        }
        entry.remembered = new SoftReference<>(entry.built.join());
        entry.built = REMEMBERED_ONLY;
        int idle = 0;
        for (Entry each : entries.values()) {
            idle += each.isIdle() ? 1 : 0;
        }
        if (idle > REMEMBERED) {
            forgetOneIdle();
        }
    }

    private boolean forgetOneIdle() {
        for (Iterator<Entry> each = entries.values().iterator(); each.hasNext(); ) {
            Entry entry = each.next();
            if (entry.isIdle()) {
                each.remove();
                claimed -= entry.bytes;
                return true;
            }
        }
        return false;
    }

    /** Accounts memory. One non-admin reader may use at most half of it, and all non-admins together three quarters. */
    private synchronized void take(Entry entry, long bytes) throws HistoryUnavailableException {
        entry.bytes += bytes;
        claimed += bytes;
        if (bytes <= 0) {
            return;
        }
        long all = maxBytes.getAsLong();
        long own = entry.reader.isAdmin() ? all : all / 2;
        long together = entry.reader.isAdmin() ? all : all - all / 4;
        if (entry.bytes > own) {
            throw HistoryUnavailableException.tooLarge(entry.revision, own);
        }
        while (claimed > together && forgetOneIdle()) {
            // Evicts one World after another until there is room.
        }
        if (claimed > together || heldBy(entry.reader) > own) {
            throw HistoryUnavailableException.busy(
                    "Requests for past revisions use all memory reserved for them, " + together + " bytes; try again");
        }
    }

    private long heldBy(History.Reader reader) {
        return entries.values().stream()
                .filter(each -> !each.isIdle() && each.reader.equals(reader))
                .mapToLong(each -> each.bytes)
                .sum();
    }
}
