package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.view.StorageNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads all events of a log and checks after each that no claim has two volumes, no volume moves from one claim to
 * another, and the claim of each bound volume refers to it. For volumes that are not reused.
 */
final class StorageKillHistory {
    private final Map<String, JsonNode> claimsByUid = new HashMap<>();
    private final Map<String, JsonNode> volumesByName = new HashMap<>();
    private final Map<String, String> volumeOfClaim = new HashMap<>();
    private final Map<String, String> claimOfVolume = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int binds;

    /** @param data data directory of a stopped server */
    static StorageKillHistory of(Path data) throws IOException {
        StorageKillHistory history = new StorageKillHistory();
        new LogInspector(new RealDisk(), data.resolve("log")).walk(1, (batch, end) -> {
            batch.events().forEach(history::applyEvent);
            return true;
        });
        return history;
    }

    List<String> problems() {
        return problems;
    }

    /** Number of times that a volume was bound. */
    int binds() {
        return binds;
    }

    private void applyEvent(Event event) {
        List<JsonNode> changedVolumes = new ArrayList<>();
        for (Change change : event.changes()) {
            String resource = change.key().resource();
            if (resource.equals(StorageNames.CLAIMS)) {
                JsonNode claim = change.object().toTree();
                String uid = claim.at("/metadata/uid").asText();
                if (change.isRemoval()) {
                    claimsByUid.remove(uid);
                } else {
                    claimsByUid.put(uid, claim);
                }
            } else if (resource.equals(StorageNames.VOLUMES)) {
                JsonNode volume = change.object().toTree();
                if (change.isRemoval()) {
                    volumesByName.remove(change.key().name());
                } else {
                    volumesByName.put(change.key().name(), volume);
                    changedVolumes.add(volume);
                }
            }
        }
        changedVolumes.forEach(volume -> check(event, volume));
    }

    private void check(Event event, JsonNode volume) {
        String where = " (revision " + event.revision() + ", " + event.type() + " by " + event.actor() + ")";
        String name = volume.at("/metadata/name").asText();
        String identity = volume.at("/metadata/uid").asText();
        String claim = volume.at("/spec/claimRef/uid").asText();
        if (claim.isEmpty()) {
            return;
        }
        String before = claimOfVolume.put(identity, claim);
        if (before == null) {
            binds++;
        } else if (!before.equals(claim)) {
            problems.add("volume " + name + " moved from claim " + before + " to " + claim + where);
        }
        String other = volumeOfClaim.put(claim, name);
        if (other != null && !other.equals(name) && volumesByName.containsKey(other)) {
            problems.add("claim " + claim + " has " + other + " and " + name + where);
        }
        JsonNode known = claimsByUid.get(claim);
        boolean bound = volume.at("/status/phase").asText().equals("Bound");
        if (bound && known != null && !known.at("/spec/volumeName").asText().equals(name)) {
            problems.add("volume " + name + " is Bound, but its claim does not refer to it" + where);
        }
    }
}
