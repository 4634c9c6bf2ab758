package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;

/**
 * The claim a volume belongs to or is kept for.
 *
 * @param uid "" if it is kept for whichever claim has that name
 */
public record ClaimRef(String namespace, String name, String uid) {
    static ClaimRef of(JsonNode reference) {
        return new ClaimRef(
                reference.path("namespace").asText(""),
                reference.path("name").asText(""),
                reference.path("uid").asText(""));
    }

    public boolean names(Claim claim) {
        return name.equals(claim.name()) && namespace.equals(claim.namespace());
    }

    /** Whether it is this claim's: by name alone, or this very one. */
    public boolean admits(Claim claim) {
        return names(claim) && (uid.isEmpty() || uid.equals(claim.uid()));
    }

    public boolean hasUid() {
        return !uid.isEmpty();
    }

    /** The claim it names. A reference may name what cannot be; then there is no such object under any key. */
    public ObjectKey key() {
        return namespace.isEmpty() || name.isEmpty()
                ? ObjectKey.clusterWide(StorageNames.CLAIMS, "-")
                : ObjectKey.namespaced(StorageNames.CLAIMS, namespace, name);
    }

    @Override
    public String toString() {
        return namespace + '/' + name;
    }
}
