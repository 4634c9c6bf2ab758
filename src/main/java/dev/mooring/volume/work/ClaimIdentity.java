package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * The claim whose data a volume holds, as recorded in markers. A new claim with the same name in the same namespace has
 * the same identity, so that it gets retained data; a namespace that was deleted and created again has another
 * identity. Immutable.
 *
 * @param namespaceUid "" if unknown, which never matches
 */
public record ClaimIdentity(String namespace, String namespaceUid, String name) {
    private static final String NAMESPACE_UID = "namespaceUID";

    boolean isSameAs(ClaimIdentity other) {
        return equals(other) && !namespaceUid.isEmpty();
    }

    private boolean hasSameNameAs(ClaimIdentity other) {
        return namespace.equals(other.namespace) && name.equals(other.name);
    }

    /** Returns this claim, completed with fields that an earlier record has. */
    ClaimIdentity mergedWith(Optional<ClaimIdentity> earlier) {
        return namespaceUid.isEmpty() ? earlier.filter(this::hasSameNameAs).orElse(this) : this;
    }

    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("namespace", namespace)
                .put(NAMESPACE_UID, namespaceUid)
                .put("name", name);
    }

    /** Parses a claim; empty if there is none, as in markers of earlier versions. */
    static Optional<ClaimIdentity> of(JsonNode json) {
        return json.isObject()
                ? Optional.of(new ClaimIdentity(
                        json.path("namespace").asText(""),
                        json.path(NAMESPACE_UID).asText(""),
                        json.path("name").asText("")))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return namespace + '/' + name;
    }
}
