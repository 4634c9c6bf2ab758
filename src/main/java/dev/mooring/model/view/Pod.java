package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;

/** The volume-related fields of a Pod. Immutable; thread-safe. */
public final class Pod extends View {
    private Pod(StoredObject stored) {
        super(stored);
    }

    public static Pod of(StoredObject stored) {
        return new Pod(stored);
    }

    public static ObjectKey key(String namespace, String name) {
        return ObjectKey.namespaced("pods", namespace, name);
    }

    /** Returns the node; "" if it has none yet. */
    public String nodeName() {
        return spec().path("nodeName").asText("");
    }

    public boolean isScheduled() {
        return !nodeName().isEmpty();
    }

    public String phase() {
        return status().path("phase").asText("");
    }

    /** Returns whether its containers have terminated for good. */
    public boolean isFinished() {
        return phase().equals("Succeeded") || phase().equals("Failed");
    }

    /**
     * Returns the names of the claims it uses, in its own namespace: those it names and those of its ephemeral volumes.
     * Without duplicates.
     */
    public List<String> claimNames() {
        List<String> names = new ArrayList<>();
        for (JsonNode volume : spec().path("volumes")) {
            String claim =
                    volume.path("persistentVolumeClaim").path("claimName").asText("");
            if (claim.isEmpty() && volume.hasNonNull("ephemeral")) {
                claim = ephemeralClaim(volume.path("name").asText(""));
            }
            if (!claim.isEmpty() && !names.contains(claim)) {
                names.add(claim);
            }
        }
        return names;
    }

    /** Returns the name of the claim of an ephemeral volume. */
    public String ephemeralClaim(String volume) {
        return name() + '-' + volume;
    }

    /** Returns the keys of the claims it uses; omits invalid names. */
    public List<ObjectKey> claimKeys() {
        List<ObjectKey> keys = new ArrayList<>();
        for (String name : claimNames()) {
            Claim.keyIfValid(namespace(), name).ifPresent(keys::add);
        }
        return keys;
    }
}
