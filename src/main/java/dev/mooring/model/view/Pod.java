package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

    /** Returns whether it is neither finished nor terminating. */
    public boolean isActive() {
        return !isFinished() && !isBeingDeleted();
    }

    /** Returns since when it is ready; empty if it is not. */
    public Optional<Instant> readySince() {
        for (JsonNode each : status().path("conditions")) {
            if (each.path("type").asText("").equals("Ready")) {
                return each.path("status").asText("").equals("True")
                        ? Optional.of(time(each.path("lastTransitionTime")))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    public boolean isReady() {
        return readySince().isPresent();
    }

    /** Returns when it is or becomes available if it stays ready; empty if it is not ready. */
    public Optional<Instant> availableFrom(int minReadySeconds) {
        return readySince().map(since -> since.plusSeconds(minReadySeconds));
    }

    /** Returns whether it has been ready for a time. */
    public boolean isAvailable(int minReadySeconds, Instant now) {
        return availableFrom(minReadySeconds).filter(from -> !from.isAfter(now)).isPresent();
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
