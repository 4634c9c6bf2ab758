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

/** What really happened, in the order in which it happened: the versions of all objects. Values; for one thread. */
final class Truth {
    private final List<Version> versions = new ArrayList<>();
    private final Map<String, TreeMap<Long, Version>> byKey = new HashMap<>();
    private final Map<String, List<Version>> byResource = new HashMap<>();
    private long last;

    static Truth of(List<Version> versions) {
        Truth truth = new Truth();
        versions.forEach(truth::add);
        return truth;
    }

    /** Reads the log of a data directory as {@code mooring log cat} does. */
    static Truth read(Path data) throws IOException {
        Truth truth = new Truth();
        truth.readOn(data);
        return truth;
    }

    /** Adds what the log has beyond what is known. */
    void readOn(Path data) throws IOException {
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

    private static Version version(Event event, Change change) throws IOException {
        JsonNode object = Api.JSON.readTree(change.object().json());
        Version.Kind kind = change.isRemoval()
                ? Version.Kind.DELETED
                : change.isCreation() ? Version.Kind.ADDED : Version.Kind.MODIFIED;
        return new Version(
                change.key().text(),
                event.revision(),
                change.prior(),
                kind,
                Reading.uid(object),
                Reading.value(object),
                object.at("/metadata").has("deletionTimestamp"),
                Reading.print(object),
                event.actor());
    }

    private void add(Version version) {
        versions.add(version);
        byKey.computeIfAbsent(version.key(), key -> new TreeMap<>()).put(version.revision(), version);
        byResource
                .computeIfAbsent(version.resource(), resource -> new ArrayList<>())
                .add(version);
        last = version.revision();
    }

    /** The newest revision. */
    long last() {
        return last;
    }

    List<Version> versions() {
        return versions;
    }

    List<Version> ofResource(String resource) {
        return byResource.getOrDefault(resource, List.of());
    }

    NavigableMap<Long, Version> ofKey(String key) {
        return byKey.getOrDefault(key, new TreeMap<>());
    }

    Optional<Version> at(String key, long revision) {
        return Optional.ofNullable(ofKey(key).get(revision));
    }

    /** The version before one. */
    Optional<Version> before(Version version) {
        return Optional.ofNullable(ofKey(version.key()).lowerEntry(version.revision()))
                .map(Map.Entry::getValue);
    }

    /** The last revision at which a version was still the newest of its object. */
    long until(Version version) {
        Long next = ofKey(version.key()).higherKey(version.revision());
        return next == null ? Long.MAX_VALUE : next - 1;
    }

    /** All objects of a resource right after a revision. */
    Map<String, Call.Seen> state(String resource, long revision) {
        Map<String, Call.Seen> state = new TreeMap<>();
        for (Version each : ofResource(resource)) {
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
