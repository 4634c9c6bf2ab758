package dev.mooring.control;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Builds Worlds from YAML. Objects without apiVersion get v1; objects without a uid get {@code uid-NAME}. */
public final class WorldFixture {
    private static final ObjectReader YAML = new YAMLMapper().readerFor(ObjectNode.class);

    private WorldFixture() {}

    public static World of(String yaml) {
        World world = World.EMPTY;
        for (ObjectNode object : objects(yaml)) {
            world = put(world, object);
        }
        return world;
    }

    public static List<ObjectNode> objects(String yaml) {
        try (MappingIterator<ObjectNode> documents = YAML.readValues(yaml)) {
            List<ObjectNode> objects = new ArrayList<>();
            while (documents.hasNext()) {
                ObjectNode object = documents.next();
                if (!object.has("apiVersion")) {
                    object.put("apiVersion", "v1");
                }
                ObjectNode metadata = object.withObject("/metadata");
                if (!metadata.has("uid")) {
                    metadata.put("uid", "uid-" + metadata.path("name").asText());
                }
                objects.add(object);
            }
            return objects;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Draft draft(ObjectNode object) {
        return Draft.of(key(object), object);
    }

    public static ObjectKey key(ObjectNode object) {
        return KindResources.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow()
                .key(
                        object.path("metadata").path("namespace").asText(),
                        object.path("metadata").path("name").asText());
    }

    public static World put(World world, ObjectNode object) {
        return after(world, Proposal.by("tester", "Put").put(draft(object)).build());
    }

    public static World after(World world, Proposal proposal) {
        return world.after(event(world, proposal));
    }

    /** Returns the event of a proposal; fails if one of its expectations does not hold. */
    public static Event event(World world, Proposal proposal) {
        for (Proposal.Expectation expectation : proposal.expectations()) {
            long found = revision(world, expectation.key());
            if (found != expectation.revision()) {
                throw new AssertionError("Expected " + expectation + ", but the object is at revision " + found);
            }
        }
        long revision = world.revision() + 1;
        List<Change> changes = new ArrayList<>();
        for (Proposal.Write write : proposal.writes()) {
            changes.add(
                    write instanceof Proposal.Put put
                            ? Change.put(put.draft().at(revision), revision(world, write.key()))
                            : Change.removed(
                                    Draft.of(world.get(write.key()).orElseThrow())
                                            .at(revision),
                                    revision(world, write.key())));
        }
        Instant time = Instant.ofEpochSecond(revision);
        return new Event(revision, time, proposal.type(), proposal.actor(), proposal.cause(), changes);
    }

    private static long revision(World world, ObjectKey key) {
        return world.get(key).map(StoredObject::revision).orElse(0L);
    }

    /** Returns an object of a World as a JSON tree. */
    public static ObjectNode tree(World world, String key) {
        return world.get(ObjectKey.parse(key)).orElseThrow().toTree();
    }
}
