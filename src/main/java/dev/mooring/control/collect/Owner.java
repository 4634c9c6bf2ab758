package dev.mooring.control.collect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.KindResources;
import dev.mooring.model.KindResources.Entry;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An entry of {@code metadata.ownerReferences}: whom an object belongs to. Pure.
 *
 * @param blocks whether an owner that is deleted in the foreground waits for this object
 */
record Owner(String apiVersion, String kind, String name, String uid, boolean blocks) {
    static final String FIELD = "ownerReferences";

    /** The owners of an object, without reading it if it has none. */
    static List<Owner> of(StoredObject object) {
        return StoredJson.mentions(object, FIELD) ? of(StoredJson.tree(object)) : List.of();
    }

    static List<Owner> of(JsonNode object) {
        JsonNode references = object.path("metadata").path(FIELD);
        List<Owner> owners = new ArrayList<>(references.size());
        for (JsonNode reference : references) {
            owners.add(new Owner(
                    reference.path("apiVersion").asText(""),
                    reference.path("kind").asText(""),
                    reference.path("name").asText(""),
                    reference.path("uid").asText(""),
                    reference.path("blockOwnerDeletion").asBoolean(false)));
        }
        return owners;
    }

    Optional<Entry> kindEntry() {
        return KindResources.ofKind(apiVersion, kind);
    }

    /** Where the owner of an object would be; nothing if that cannot be told, so that nothing follows from it. */
    Optional<ObjectKey> keyFor(ObjectKey dependent) {
        Optional<Entry> entry = kindEntry();
        if (entry.isEmpty() || name.isEmpty() || uid.isEmpty()) {
            return Optional.empty();
        }
        if (!entry.get().isNamespaced()) {
            return key(entry.get(), "");
        }
        return dependent.namespace().flatMap(namespace -> key(entry.get(), namespace));
    }

    private Optional<ObjectKey> key(Entry entry, String namespace) {
        try {
            return Optional.of(entry.key(namespace, name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** As Kubernetes writes it in messages. */
    String text(String namespace) {
        return "[" + apiVersion + "/" + kind + ", namespace: " + namespace + ", name: " + name + ", uid: " + uid + "]";
    }
}
