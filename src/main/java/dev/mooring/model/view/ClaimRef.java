package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;

/**
 * The claim that a volume is bound to or reserved for.
 *
 * @param uid "" if it is reserved for any claim of that name
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

    /** Returns whether it refers to this claim: by name only, or by uid. */
    public boolean admits(Claim claim) {
        return names(claim) && (uid.isEmpty() || uid.equals(claim.uid()));
    }

    public boolean hasUid() {
        return !uid.isEmpty();
    }

    /** Returns the key of the claim. For an invalid name, no object has the key. */
    public ObjectKey key() {
        return Claim.keyIfValid(namespace, name).orElseGet(() -> ObjectKey.clusterWide(StorageNames.CLAIMS, "-"));
    }

    @Override
    public String toString() {
        return namespace + '/' + name;
    }
}
