package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Versions of all objects in the order of the log. For one thread. */
final class RecordedHistory {
    private final List<ObjectVersion> versions = new ArrayList<>();
    private final Map<String, TreeMap<Long, ObjectVersion>> byKey = new HashMap<>();
    private final Map<String, List<ObjectVersion>> byResource = new HashMap<>();
    private long last;

    static RecordedHistory of(List<ObjectVersion> versions) {
        RecordedHistory history = new RecordedHistory();
        versions.forEach(history::add);
        return history;
    }

    /** Reads the log of a data directory as {@code mooring log cat} does. */
    static RecordedHistory read(Path data) throws IOException {
        RecordedHistory history = new RecordedHistory();
        history.readNewEvents(data);
        return history;
    }

    /** Adds the events of the log that are not known yet. */
    void readNewEvents(Path data) throws IOException {
        new LogInspector(new RealDisk(), data.resolve("log")).walk(last + 1, (batch, end) -> {
            for (Event event : batch.events()) {
                if (event.revision() > last) {
                    if (event.revision() != last + 1) {
                        throw new IllegalStateException(
                                "Expected revision " + (last + 1) + " in the log, but found " + event.revision());
                    }
                    for (Change change : event.changes()) {
                        add(version(event, change));
                    }
                    last = event.revision();
                }
            }
            return true;
        });
    }

    private static ObjectVersion version(Event event, Change change) throws IOException {
        JsonNode object = ServerApi.JSON.readTree(change.object().json());
        ObjectVersion.VersionKind kind = change.isRemoval()
                ? ObjectVersion.VersionKind.DELETED
                : change.isCreation() ? ObjectVersion.VersionKind.ADDED : ObjectVersion.VersionKind.MODIFIED;
        return new ObjectVersion(
                change.key().text(),
                event.revision(),
                change.prior(),
                kind,
                HistoryObjectReader.uid(object),
                HistoryObjectReader.value(object),
                object.at("/metadata").has("deletionTimestamp"),
                HistoryObjectReader.digest(object),
                event.actor());
    }

    private void add(ObjectVersion version) {
        versions.add(version);
        byKey.computeIfAbsent(version.key(), key -> new TreeMap<>()).put(version.revision(), version);
        if (!HistoryObjectReader.isPublished(version.key())) {
            byResource
                    .computeIfAbsent(version.resource(), resource -> new ArrayList<>())
                    .add(version);
        }
        last = version.revision();
    }

    /** Returns the newest revision. */
    long last() {
        return last;
    }

    List<ObjectVersion> versions() {
        return versions;
    }

    List<ObjectVersion> ofResource(String resource) {
        return byResource.getOrDefault(resource, List.of());
    }

    NavigableMap<Long, ObjectVersion> ofKey(String key) {
        return byKey.getOrDefault(key, new TreeMap<>());
    }

    Optional<ObjectVersion> at(String key, long revision) {
        return Optional.ofNullable(ofKey(key).get(revision));
    }

    /** Returns the previous version of the same object. */
    Optional<ObjectVersion> before(ObjectVersion version) {
        return Optional.ofNullable(ofKey(version.key()).lowerEntry(version.revision()))
                .map(Map.Entry::getValue);
    }

    /** Returns the last revision at which the version was still the newest of its object. */
    long until(ObjectVersion version) {
        Long next = ofKey(version.key()).higherKey(version.revision());
        return next == null ? Long.MAX_VALUE : next - 1;
    }

    /** Returns all objects of a resource at a revision. */
    Map<String, RecordedCall.SeenObject> state(String resource, long revision) {
        Map<String, RecordedCall.SeenObject> state = new TreeMap<>();
        for (ObjectVersion each : ofResource(resource)) {
            if (each.revision() > revision) {
                break;
            }
            if (each.isPresent()) {
                state.put(each.key(), each.seen());
            } else {
                state.remove(each.key());
            }
        }
        return state;
    }
}
