package dev.mooring.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ControllerPodAdmission;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.types.BodyException;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.ParsedBody;
import dev.mooring.api.types.Schemas;
import dev.mooring.api.types.YamlBody;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.ScheduledControllerLoop;
import dev.mooring.log.LogPosition;
import dev.mooring.log.MemoryEventLog;
import dev.mooring.model.Event;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.node.WorldPort;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerMetrics;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Simulates what would follow if objects were applied to a World: the API's admission, the controllers, the scheduler
 * and the volume components of the nodes run on a copy in memory, in virtual time. Nothing reaches the machine:
 * operations of nodes succeed at once, and no containers run. Confined to one thread.
 */
public final class WhatIf {
    /** Limit of the simulated events, in case a manifest makes the controllers work without end. */
    public static final int MAX_EVENTS = 20_000;

    /** Proposals are committed at multiples of this time. */
    private static final Duration STEP = Duration.ofMillis(10);

    private static final long RECENT_BYTES = 256L << 20;
    private static final Duration EVENT_TTL = Duration.ofHours(24);
    private static final String ACTOR = "what-if";

    private final MemoryEventLog log;
    private final Instant start;
    private final TestScheduler scheduler = new TestScheduler();
    private final Ledger ledger;
    private final ControlContext control;
    private final Catalog catalog;
    private final ResourceWriter writer;
    private final List<ObjectKey> applied = new ArrayList<>();
    private Optional<Throwable> failure = Optional.empty();

    /**
     * What a simulation needs to know beyond the World.
     *
     * @param random for uids and names
     * @param root the directory of volumes on the nodes, as it appears in paths
     * @param nfsServer the server's setting {@code nfs.server}
     * @param nfsShare the server's setting {@code nfs.share}
     * @param failingMounts names of volumes that cannot be mounted
     */
    public record Assumptions(
            SecureRandom random, Path root, String nfsServer, Path nfsShare, Set<String> failingMounts) {
        /** Assumes the default settings, and that everything succeeds. */
        public static Assumptions defaults(SecureRandom random, Path root) {
            return new Assumptions(
                    random,
                    root.toAbsolutePath().normalize(),
                    SettingsTable.NFS_SERVER.defaultText(),
                    Path.of(SettingsTable.NFS_SHARE.defaultText()),
                    Set.of());
        }

        public Assumptions withFailingMounts(Set<String> names) {
            return new Assumptions(random, root, nfsServer, nfsShare, Set.copyOf(names));
        }
    }

    /** @param time when the World was current */
    public WhatIf(World world, Instant time, Assumptions assumptions) {
        LogPosition position = new LogPosition(world.revision(), 0, 0, 0, world.digest(), time.toEpochMilli());
        this.start = time;
        this.log = new MemoryEventLog(position);
        Clock clock = new VirtualClock();
        CompositeMeterRegistry meters = new CompositeMeterRegistry();
        WatchHub hub = new WatchHub(log, 2 * MAX_EVENTS, RECENT_BYTES, scheduler::scheduleDirect);
        this.ledger = new Ledger(
                log, world, hub, clock, new Ledger.Limits(MAX_EVENTS, 64, 1 << 20), new LedgerMetrics(meters));
        this.control = new ControlContext(ledger, hub, scheduler, clock, meters, Backoff.DEFAULT);
        this.catalog = new KindTable(Schemas.ofThisProgram(), clock).catalog();
        this.writer = new ResourceWriter(
                ledger, clock, new RandomIds(assumptions.random()), new LeaseCache(ledger::world, clock));
        Map<String, Map<String, String>> provisioning = Controllers.provisioning(
                new Settings.VolumeSettings.Nfs(assumptions.nfsServer(), assumptions.nfsShare(), false));
        Controllers.all(new Controllers.ControllerSettings(
                        EVENT_TTL,
                        provisioning,
                        node -> Optional.of(clock.instant()),
                        new ControllerPodAdmission(catalog, PodPolicy.DENY_ALL)::admit,
                        time))
                .values()
                .forEach(each -> run(each, EffectExecutor.NONE));
        WorkContext work = new WorkContext(WorldPort.of(ledger), clock, scheduler, task -> {
            Disposable unused = scheduler.scheduleDirect(task);
        });
        world.stream(Scope.resource("nodes"))
                .map(each -> each.key().name())
                .forEach(node -> new SimulatedNode(
                                node, assumptions.root(), work, provisioning, assumptions.failingMounts())
                        .start(this::run));
    }

    private void run(Supplier<? extends Controller> controllers, EffectExecutor effects) {
        new ScheduledControllerLoop(controllers, effects, control, scheduler, cause -> failure = Optional.of(cause))
                .start(() -> {});
    }

    /**
     * Applies the objects of a YAML text as an admin, like {@code kubectl apply --server-side --force-conflicts}.
     *
     * @throws StatusException if the API would refuse one of them
     */
    public void apply(String yaml) throws IOException {
        for (String document : yaml.split("(?m)^---(?:\\s.*)?$", -1)) {
            ParsedBody parsed;
            try {
                parsed = YamlBody.parse(document.getBytes(StandardCharsets.UTF_8));
            } catch (BodyException e) {
                throw new StatusException(Status.badRequest(e.getMessage()));
            }
            if (parsed.root().path("kind").asText().equals("List")) {
                for (JsonNode item : parsed.root().path("items")) {
                    applyObject(item, parsed.duplicates());
                }
            } else if (!parsed.root().isNull()) {
                applyObject(parsed.root(), parsed.duplicates());
            }
        }
        if (applied.isEmpty()) {
            throw new StatusException(Status.badRequest("no objects passed to apply"));
        }
    }

    private void applyObject(JsonNode root, List<String> duplicates) throws IOException {
        String apiVersion = root.path("apiVersion").asText();
        String kindName = root.path("kind").asText();
        KindDefinition kind = KindResources.ofKind(apiVersion, kindName)
                .flatMap(each -> catalog.ofResource(each.resource()))
                .orElseThrow(() -> new StatusException(Status.badRequest(
                        "no matches for kind \"" + kindName + "\" in version \"" + apiVersion + '"')));
        JsonNode metadata = root.path("metadata");
        Optional<String> namespace =
                kind.isNamespaced() ? Optional.of(metadata.path("namespace").asText("default")) : Optional.empty();
        ResourceRef target = new ResourceRef(
                kind, namespace, Optional.of(metadata.path("name").asText()), "");
        ObjectNode object = root.deepCopy();
        namespace.ifPresent(each -> object.withObject("/metadata").put("namespace", each));
        User user = User.of(ACTOR, new Grant(Role.ADMIN, Set.of(Grant.EVERYWHERE)));
        try {
            CompletableFuture<?> response = writer.apply(
                            target,
                            kind.decoder().check(object, duplicates, kind.rules()::normalize),
                            FieldManager.Force.YES,
                            new WriteOptions(
                                    user, ACTOR, ACTOR, WriteOptions.Mode.COMMIT, WriteOptions.FieldValidation.STRICT),
                            Runnable::run)
                    .toCompletableFuture();
            commit();
            response.join();
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        } catch (CompletionException e) {
            if (e.getCause() instanceof StatusException refused) {
                throw refused;
            }
            throw e;
        }
        applied.add(target.key());
    }

    /** Lets virtual time pass. Returns false if the limit of events was reached before its end. */
    public boolean run(Duration span) throws IOException {
        settle();
        for (Duration passed = Duration.ZERO; passed.compareTo(span) < 0; passed = passed.plus(STEP)) {
            if (log.events().size() >= MAX_EVENTS) {
                return false;
            }
            scheduler.advanceTimeBy(STEP.toNanos(), TimeUnit.NANOSECONDS);
            settle();
        }
        return true;
    }

    private void settle() throws IOException {
        do {
            scheduler.triggerActions();
            if (failure.isPresent()) {
                throw new IOException("Failed to simulate", failure.get());
            }
        } while (commit());
    }

    /** Commits the waiting proposals. Returns whether there were any. */
    private boolean commit() throws IOException {
        if (ledger.pending() == 0 || log.events().size() >= MAX_EVENTS) {
            return false;
        }
        try {
            ledger.run(() -> {}, () -> true);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted during the simulation", e);
        }
    }

    /** Returns the events that would follow, oldest first. */
    public List<Event> events() {
        return log.events();
    }

    /** Returns the World at the end. */
    public World world() {
        return ledger.world();
    }

    /** Returns explanations of the applied objects at the end. */
    public List<Explanation> explanations() {
        Explainer explainer = new Explainer(PastEvents.of(log));
        return applied.stream()
                .flatMap(
                        each -> explainer.explain(world(), each, control.clock().instant(), key -> true).stream())
                .toList();
    }

    private final class VirtualClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return start.plusNanos(scheduler.now(TimeUnit.NANOSECONDS));
        }
    }
}
