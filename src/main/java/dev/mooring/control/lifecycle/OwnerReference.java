package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.KindResources;
import dev.mooring.model.KindResources.ResourceKind;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An entry of {@code metadata.ownerReferences}. Pure.
 *
 * @param blocks whether foreground deletion of the owner waits for this object
 */
record OwnerReference(String apiVersion, String kind, String name, String uid, boolean blocks) {
    static final String FIELD = "ownerReferences";

    /** Returns the owner references of an object, without parsing it if it has none. */
    static List<OwnerReference> of(StoredObject object) {
        return object.containsText(FIELD) ? of(object.tree()) : List.of();
    }

    static List<OwnerReference> of(JsonNode object) {
        JsonNode references = object.path("metadata").path(FIELD);
        List<OwnerReference> owners = new ArrayList<>(references.size());
        for (JsonNode reference : references) {
            owners.add(new OwnerReference(
                    reference.path("apiVersion").asText(""),
                    reference.path("kind").asText(""),
                    reference.path("name").asText(""),
                    reference.path("uid").asText(""),
                    reference.path("blockOwnerDeletion").asBoolean(false)));
        }
        return owners;
    }

    Optional<ResourceKind> kindEntry() {
        return KindResources.ofKind(apiVersion, kind);
    }

    /** Returns the key of the owner; empty if it cannot be determined, so that the caller draws no conclusion. */
    Optional<ObjectKey> keyFor(ObjectKey dependent) {
        Optional<ResourceKind> entry = kindEntry();
        if (entry.isEmpty() || name.isEmpty() || uid.isEmpty()) {
            return Optional.empty();
        }
        if (!entry.get().isNamespaced()) {
            return key(entry.get(), "");
        }
        return dependent.namespace().flatMap(namespace -> key(entry.get(), namespace));
    }

    private Optional<ObjectKey> key(ResourceKind entry, String namespace) {
        try {
            return Optional.of(entry.key(namespace, name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the reference as Kubernetes writes it in messages. */
    String describe(String namespace) {
        return "[" + apiVersion + "/" + kind + ", namespace: " + namespace + ", name: " + name + ", uid: " + uid + "]";
    }
}
