package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Fake object lookup with objects in the namespace default. Each stored object gets the next resource version. */
final class FakeObjectLookup implements ObjectLookup {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<ObjectKey, ObjectNode> all = new HashMap<>();
    private int revision;

    /** Parses JSON in which ' stands for ". */
    static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeObjectLookup put(String resource, String name, String text) {
        return put(ObjectKey.namespaced(resource, "default", name), text);
    }

    FakeObjectLookup put(ObjectKey key, String text) {
        ObjectNode object = json(text);
        object.putObject("metadata")
                .put("name", key.name())
                .put("uid", "uid-of-" + key.name())
                .put("resourceVersion", Integer.toString(++revision));
        all.put(key, object);
        return this;
    }

    void remove(String resource, String name) {
        all.remove(ObjectKey.namespaced(resource, "default", name));
    }

    @Override
    public Optional<ObjectNode> find(ObjectKey key) {
        return Optional.ofNullable(all.get(key));
    }
}
