package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;

/** A Pod, as far as volumes go. Immutable; any thread. */
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

    /** "" if it has none yet. */
    public String nodeName() {
        return spec().path("nodeName").asText("");
    }

    public boolean isScheduled() {
        return !nodeName().isEmpty();
    }

    public String phase() {
        return status().path("phase").asText("");
    }

    /** Whether its containers have ended for good. */
    public boolean isFinished() {
        return phase().equals("Succeeded") || phase().equals("Failed");
    }

    /** The claims it uses, by name, in its own namespace: those it names and those made for its ephemeral volumes. Each once. */
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

    /** The claim that is made for an ephemeral volume. */
    public String ephemeralClaim(String volume) {
        return name() + '-' + volume;
    }

    /** The keys of the claims it uses; names that no object can have are left out. */
    public List<ObjectKey> claimKeys() {
        List<ObjectKey> keys = new ArrayList<>();
        for (String name : claimNames()) {
            if (name.indexOf('/') < 0 && name.chars().noneMatch(c -> c <= ' ')) {
                keys.add(Claim.key(namespace(), name));
            }
        }
        return keys;
    }
}
