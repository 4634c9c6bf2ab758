package dev.mooring.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.log.Batch;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogRewrite;
import dev.mooring.log.Snapshot;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.EventReasons;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Removes past contents of objects from a log. Each purged version becomes a stub: the event keeps its time, type and
 * actor, and the object keeps its name, namespace, uid and times. The newest version of an existing object is never
 * removed. Not thread-safe.
 */
public final class LogPurge {
    /** Annotation of an object whose content was removed. */
    public static final String ANNOTATION = "mooring.dev/purged";

    private static final String METADATA = "metadata";
    private static final String SECRETS = "secrets";
    private static final List<String> KEPT_METADATA =
            List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp");

    /**
     * Selects the versions to purge.
     *
     * @param keys the objects
     * @param allDeletedSecrets also all deleted Secrets
     * @param namespace limits these to a namespace; empty for all
     * @param uid only the incarnation with this uid
     * @param beforeRevision only older revisions
     * @param beforeTime only versions written before this time
     */
    public record PurgeSelection(
            List<ObjectKey> keys,
            boolean allDeletedSecrets,
            Optional<String> namespace,
            Optional<String> uid,
            long beforeRevision,
            Instant beforeTime) {

        boolean concerns(ObjectKey key) {
            return keys.contains(key) || isAnyDeletedSecret(key);
        }

        private boolean isAnyDeletedSecret(ObjectKey key) {
            return allDeletedSecrets
                    && key.resource().equals(SECRETS)
                    && (namespace.isEmpty() || namespace.equals(key.namespace()));
        }
    }

    /** A version of an object. */
    private record Version(long revision, Instant time, String uid, int bytes, boolean isStub) {}

    /**
     * The effect of a purge on one object.
     *
     * @param revisions the versions that lose their content
     * @param bytes their current size
     * @param live the revision of the version that stays, because the object exists; 0 if it does not
     */
    public record ObjectPlan(ObjectKey key, SortedSet<Long> revisions, long bytes, long live) {}

    /**
     * The effect of a purge.
     *
     * @param objects objects that lose contents, by key
     * @param kept selected keys of which nothing is removed
     * @param from the first revision of the first segment to rewrite; 0 if there is nothing to do
     * @param extent the files to rewrite
     */
    public record PurgePlan(List<ObjectPlan> objects, List<ObjectKey> kept, long from, VerifiedRewrite.Extent extent) {
        public int versions() {
            return objects.stream()
                    .mapToInt(object -> object.revisions().size())
                    .sum();
        }
    }

    /**
     * The result of a purge.
     *
     * @param plan has no objects if there was nothing to do
     * @param extent the rewritten files
     * @param values finds other occurrences of the removed values
     */
    public record PurgeResult(PurgePlan plan, VerifiedRewrite.Extent extent, ValueSearch values) {}

    private static final SortedSet<Long> NO_REVISIONS = Collections.emptySortedSet();

    private final LogInspector log;
    private final PurgeSelection selection;
    private final Map<ObjectKey, List<Version>> versions = new TreeMap<>();
    private final Map<ObjectKey, Version> live = new HashMap<>();

    private LogPurge(LogInspector log, PurgeSelection selection) {
        this.log = log;
        this.selection = selection;
    }

    /**
     * Returns the effect of a purge without changing anything.
     *
     * @throws dev.mooring.log.LogDamagedException if the log is damaged
     */
    public static PurgePlan plan(LogInspector log, PurgeSelection selection) throws IOException {
        return new LogPurge(log, selection).plan();
    }

    /** Purges and verifies the new log, then replaces the old one. */
    public static PurgeResult purge(VerifiedRewrite target, PurgeSelection selection) throws IOException {
        try (LogRewrite rewrite = LogRewrite.begin(target.disk(), target.directory(), target.clock())) {
            LogInspector log = new LogInspector(target.disk(), target.directory(), target.source());
            PurgePlan plan = plan(log, selection);
            ValueSearch values = new ValueSearch();
            if (plan.objects().isEmpty()) {
                return new PurgeResult(plan, plan.extent(), values);
            }
            Map<ObjectKey, SortedSet<Long>> purged = new HashMap<>();
            plan.objects().forEach(object -> purged.put(object.key(), object.revisions()));
            collectValues(log, object -> isPurged(object, purged), values);
            VerifiedRewrite.Extent extent = target.run(
                    rewrite,
                    plan.from(),
                    object -> isPurged(object, purged) ? stub(object) : object,
                    EventReasons.LOG_PURGED,
                    message(plan));
            return new PurgeResult(plan, extent, values);
        }
    }

    private static boolean isPurged(StoredObject object, Map<ObjectKey, SortedSet<Long>> purged) {
        return purged.getOrDefault(object.key(), NO_REVISIONS).contains(object.revision());
    }

    private static String message(PurgePlan plan) {
        List<String> names =
                plan.objects().stream().map(object -> object.key().text()).toList();
        return "removed the contents of " + plan.versions() + " versions of " + names.size() + " objects: "
                + String.join(", ", names);
    }

    private PurgePlan plan() throws IOException {
        List<Long> segments = log.segments().stream()
                .map(LogInspector.SegmentInfo::firstRevision)
                .toList();
        long first = segments.get(0);
        Optional<Snapshot> oldest = first == 1 ? Optional.empty() : oldestSnapshot(first);
        boolean[] started = new boolean[1];
        log.walk(first, (batch, end) -> {
            if (!started[0]) {
                started[0] = true;
                oldest.ifPresent(snapshot ->
                        startWith(snapshot, first, batch.events().get(0).time()));
            }
            collect(batch);
            return true;
        });
        List<ObjectPlan> objects = new ArrayList<>();
        List<ObjectKey> kept = new ArrayList<>(selection.keys());
        versions.forEach((key, all) -> {
            ObjectPlan object = plan(key, all);
            if (!object.revisions().isEmpty()) {
                objects.add(object);
                kept.remove(key);
            }
        });
        long oldestRevision = objects.stream()
                .mapToLong(object -> object.revisions().first())
                .min()
                .orElse(0);
        long from = segments.stream()
                .filter(segment -> segment <= oldestRevision)
                .reduce((before, after) -> after)
                .orElse(first);
        return objects.isEmpty()
                ? new PurgePlan(objects, kept, 0, new VerifiedRewrite.Extent(0, 0, 0))
                : new PurgePlan(objects, kept, from, VerifiedRewrite.extent(log, from));
    }

    private Optional<Snapshot> oldestSnapshot(long first) throws IOException {
        for (long revision : log.snapshots().revisions()) {
            if (revision >= first - 1) {
                return Optional.of(log.snapshots().load(revision));
            }
        }
        return Optional.empty();
    }

    /**
     * Adds the objects of the oldest snapshot; if retention removed the oldest history, those are only in snapshots.
     */
    private void startWith(Snapshot oldest, long first, Instant latest) {
        for (StoredObject object : oldest.objects()) {
            if (object.revision() < first && selection.concerns(object.key())) {
                collect(object, latest, false);
            }
        }
    }

    private void collect(Batch batch) {
        for (Event event : batch.events()) {
            for (Change change : event.changes()) {
                if (selection.concerns(change.key())) {
                    collect(change.object(), event.time(), change.isRemoval());
                }
            }
        }
    }

    private void collect(StoredObject object, Instant time, boolean removal) {
        String uid = object.toTree().path(METADATA).path("uid").asText("");
        Version version = new Version(
                object.revision(), time, uid, object.json().length, stub(object).equals(object));
        versions.computeIfAbsent(object.key(), key -> new ArrayList<>()).add(version);
        if (removal) {
            live.remove(object.key());
        } else {
            live.put(object.key(), version);
        }
    }

    private ObjectPlan plan(ObjectKey key, List<Version> all) {
        Optional<Version> exists = Optional.ofNullable(live.get(key));
        boolean named = selection.keys().contains(key);
        SortedSet<Long> revisions = new TreeSet<>();
        long bytes = 0;
        for (Version version : all) {
            boolean newest = exists.filter(version::equals).isPresent();
            boolean deleted =
                    exists.filter(now -> now.uid().equals(version.uid())).isEmpty();
            boolean selected = (named || deleted)
                    && selection.uid().map(version.uid()::equals).orElse(true)
                    && version.revision() < selection.beforeRevision()
                    && version.time().isBefore(selection.beforeTime());
            if (selected && !newest && !version.isStub()) {
                revisions.add(version.revision());
                bytes += version.bytes();
            }
        }
        return new ObjectPlan(
                key, revisions, bytes, exists.map(Version::revision).orElse(0L));
    }

    private static void collectValues(LogInspector log, Predicate<StoredObject> purged, ValueSearch values)
            throws IOException {
        Consumer<StoredObject> collect = object -> {
            if (purged.test(object)) {
                values.addContentsOf(object.toTree());
            }
        };
        log.walk(1, (batch, end) -> {
            for (Event event : batch.events()) {
                event.changes().forEach(change -> collect.accept(change.object()));
            }
            return true;
        });
        for (long revision : log.snapshots().revisions()) {
            log.snapshots()
                    .newestUpTo(revision)
                    .ifPresent(snapshot -> snapshot.objects().forEach(collect));
        }
    }

    /** Returns the stub of an object: its identity and the purge annotation. */
    static StoredObject stub(StoredObject object) {
        ObjectNode original = object.toTree();
        ObjectNode stub = Json.MAPPER.createObjectNode();
        for (String field : List.of("apiVersion", "kind")) {
            copy(original, stub, field);
        }
        ObjectNode metadata = stub.putObject(METADATA);
        for (String field : KEPT_METADATA) {
            copy(original.path(METADATA), metadata, field);
        }
        metadata.putObject("annotations").put(ANNOTATION, "true");
        return Draft.of(object.key(), stub).at(object.revision());
    }

    private static void copy(JsonNode from, ObjectNode to, String field) {
        if (from.path(field).isTextual()) {
            to.set(field, from.get(field));
        }
    }
}
