package dev.mooring.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.BundleService;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.VersionInfo;
import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.PointInTime;
import dev.mooring.replay.BundleWriter;
import dev.mooring.replay.Redaction;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.world.History;
import dev.mooring.world.HistoryUnavailableException;
import dev.mooring.world.Ledger;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Creates the debug bundles of a server, one at a time: its log since a moment, its settings, metrics, mounts and
 * containers. Thread-safe.
 */
final class DebugBundles implements BundleService {
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Duration DEFAULT_SPAN = Duration.ofHours(1);
    private static final int RETRY_SECONDS = 5;
    private static final History.Reader READER = new History.Reader("debug bundle", true);

    private final Settings settings;
    private final StateStore store;
    private final Clock clock;
    private final Supplier<String> metrics;
    private final Supplier<List<ContainerFacts>> containers;
    private final AtomicBoolean busy = new AtomicBoolean();

    DebugBundles(
            Settings settings,
            StateStore store,
            Clock clock,
            Supplier<String> metrics,
            Supplier<List<ContainerFacts>> containers) {
        this.settings = settings;
        this.store = store;
        this.clock = clock;
        this.metrics = metrics;
        this.containers = containers;
    }

    @Override
    public OpenBundle open(Optional<PointInTime> from) throws IOException {
        if (!busy.compareAndSet(false, true)) {
            throw new StatusException(
                    Status.tooManyRequests("another debug bundle is being created; try again", RETRY_SECONDS));
        }
        LogBundle bundle = new LogBundle();
        try {
            bundle.start(from);
            return bundle;
        } catch (CompactedException e) {
            bundle.close();
            throw new StatusException(Status.expired(e.getMessage()));
        } catch (HistoryUnavailableException e) {
            bundle.close();
            throw new StatusException(Status.tooManyRequests(e.getMessage(), RETRY_SECONDS));
        } catch (IOException | RuntimeException e) {
            bundle.close();
            throw e;
        }
    }

    /** Returns the revision after which events are wanted. */
    private long revision(Optional<PointInTime> wanted) throws IOException {
        Instant now = clock.instant();
        PointInTime from = wanted.orElseGet(() -> new PointInTime.AtTime(now.minus(DEFAULT_SPAN)));
        if (from instanceof PointInTime.AtTime at) {
            return Math.max(
                    store.history().oldest(), store.log().revisionAt(at.time().toEpochMilli()));
        }
        long revision = ((PointInTime.AtRevision) from).revision();
        long newest = store.ledger().world().revision();
        if (revision > newest) {
            throw new StatusException(
                    Status.badRequest("revision " + revision + " does not exist yet, the newest is " + newest));
        }
        return revision;
    }

    /** Returns a past World, which counts as memory until it is closed. */
    private History.PastWorld openWorld(long revision) throws IOException {
        try {
            return store.history()
                    .open(revision, READER, Runnable::run)
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private BundleWriter.ServerFacts facts() {
        return new BundleWriter.ServerFacts(
                this::configuration,
                metrics::get,
                () -> Redaction.redact(Files.readString(MOUNTS)),
                () -> engine().toString() + '\n');
    }

    private ArrayNode engine() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (ContainerFacts each : containers.get()) {
            ContainerLabels.ContainerIdentity identity = each.identity();
            ObjectNode json = list.addObject()
                    .put("id", each.id())
                    .put("name", each.name())
                    .put("namespace", identity.podNamespace())
                    .put("pod", identity.podName())
                    .put("podUid", identity.podUid())
                    .put("role", identity.role().name().toLowerCase(Locale.ROOT))
                    .put("container", identity.container())
                    .put("attempt", identity.attempt())
                    .put("image", each.image())
                    .put("imageId", each.imageId())
                    .put("state", each.state().name().toLowerCase(Locale.ROOT))
                    .put("created", each.created().toString());
            each.started().ifPresent(time -> json.put("started", time.toString()));
            each.finished().ifPresent(time -> json.put("finished", time.toString()));
            json.put("exitCode", each.exitCode())
                    .put("oomKilled", each.oomKilled())
                    .put("error", each.error())
                    .put("address", each.address());
        }
        return list;
    }

    /** Returns the settings as a configuration file. They name files with keys, but have no credentials. */
    private String configuration() {
        StringBuilder text = new StringBuilder();
        settings.texts()
                .forEach((key, value) -> text.append(key)
                        .append(": ")
                        .append(JsonNodeFactory.instance.textNode(Redaction.redact(value)))
                        .append('\n'));
        return text.toString();
    }

    /** A bundle of this server's log. */
    private final class LogBundle implements OpenBundle {
        private final AtomicBoolean closed = new AtomicBoolean();
        private long from;
        private String fileName;
        private BundleWriter writer;
        private LogEvents events;
        private History.PastWorld start;

        private void start(Optional<PointInTime> wanted) throws IOException {
            Ledger.Checkpoint newest = store.ledger().checkpoint();
            World to = newest.world();
            try (LogEvents all = new LogEvents(revision(wanted), to.revision())) {
                from = BundleWriter.fitting(all.after, all);
            }
            start = openWorld(from);
            Instant toTime = Instant.ofEpochMilli(newest.position().timeMillis());
            events = new LogEvents(from, to.revision());
            Instant created = clock.instant();
            fileName = BundleWriter.fileName(settings.node(), created);
            writer = new BundleWriter(new BundleWriter.Content(
                    VersionInfo.ofThisBuild().gitVersion(),
                    settings.node(),
                    created,
                    start.world(),
                    store.history().timeOf(from).orElse(Instant.EPOCH),
                    to,
                    toTime,
                    events,
                    PastEvents.of(store.log()),
                    facts()));
        }

        @Override
        public String fileName() {
            return fileName;
        }

        @Override
        public long from() {
            return from;
        }

        @Override
        public boolean hasNext() {
            return writer.hasNext();
        }

        @Override
        public byte[] next() {
            return writer.next();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                Optional.ofNullable(start).ifPresent(History.PastWorld::close);
                Optional.ofNullable(events).ifPresent(LogEvents::close);
                busy.set(false);
            }
        }
    }

    /** The events of the log in a range. Closing it while another thread reads makes that read fail. */
    private final class LogEvents implements Iterator<Event>, AutoCloseable {
        private final long after;
        private final long to;
        private final EventReader reader;
        private Iterator<Event> batch = Collections.emptyIterator();
        private long revision;

        LogEvents(long after, long to) throws IOException {
            this.after = after;
            this.to = to;
            this.revision = after;
            this.reader =
                    store.log().read(Math.min(after + 1, Math.max(1, store.log().lastRevision())));
        }

        @Override
        public boolean hasNext() {
            return revision < to;
        }

        @Override
        public Event next() {
            try {
                Event event;
                do {
                    if (!batch.hasNext()) {
                        batch = reader.next()
                                .map(Batch::events)
                                .orElseThrow(() -> new NoSuchElementException("revision " + (revision + 1)))
                                .iterator();
                    }
                    event = batch.next();
                } while (event.revision() <= after);
                revision = event.revision();
                return event;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                reader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
