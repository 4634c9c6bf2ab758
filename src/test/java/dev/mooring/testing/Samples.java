package dev.mooring.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.log.Batch;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;

/** Objects and events for tests. */
public final class Samples {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Samples() {}

    public static ObjectKey claim(String name) {
        return ObjectKey.namespaced("persistentvolumeclaims", "default", name);
    }

    public static ObjectKey volume(String name) {
        return ObjectKey.clusterWide("persistentvolumes", name);
    }

    /** Returns the scope of all claims of {@link #claim}. */
    public static Scope claims() {
        return Scope.resource(claim("any").resource());
    }

    /** Returns an object with content in its spec. */
    public static Draft draft(ObjectKey key, String content) {
        ObjectNode object = MAPPER.createObjectNode();
        object.put("apiVersion", "v1").put("kind", "Sample");
        ObjectNode metadata = object.putObject("metadata").put("name", key.name());
        key.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        object.putObject("spec").put("content", content);
        return Draft.of(key, object);
    }

    /** Returns the event that puts one object, following a World. */
    public static Event put(World world, ObjectKey key, String content) {
        long revision = world.revision() + 1;
        long prior = world.get(key).map(object -> object.revision()).orElse(0L);
        Change change = Change.put(draft(key, content).at(revision), prior);
        return event(revision, change);
    }

    /** Returns the event that removes one object, following a World. */
    public static Event removal(World world, ObjectKey key) {
        long revision = world.revision() + 1;
        StoredObject last = world.get(key).orElseThrow();
        return event(revision, Change.removed(Draft.of(last).at(revision), last.revision()));
    }

    public static Event event(long revision, Change... changes) {
        return new Event(
                revision,
                Instant.ofEpochMilli(1_700_000_000_000L + revision),
                "SamplePut",
                "tester",
                Cause.request("r" + revision),
                List.of(changes));
    }

    public static Batch batch(World after, Event... events) {
        return new Batch(List.of(events), after.digest());
    }
}
