package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
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
 * Goes through everything that ever happened and looks after each event whether a claim had two volumes, a volume went from one claim to
 * another, or a volume was bound and its claim did not know. For volumes that are not to be used a second time.
 */
final class StorageKillHistory {
    private final Map<String, JsonNode> claimsByUid = new HashMap<>();
    private final Map<String, JsonNode> volumesByName = new HashMap<>();
    private final Map<String, String> volumeOfClaim = new HashMap<>();
    private final Map<String, String> claimOfVolume = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int binds;

    /** @param data of a server that does not run */
    static StorageKillHistory of(Path data) throws IOException {
        StorageKillHistory history = new StorageKillHistory();
        new LogInspector(new RealDisk(), data.resolve("log")).walk(1, (batch, end) -> {
            batch.events().forEach(history::follow);
            return true;
        });
        return history;
    }

    List<String> problems() {
        return problems;
    }

    /** How many times a volume was bound. */
    int binds() {
        return binds;
    }

    private void follow(Event event) {
        List<JsonNode> changedVolumes = new ArrayList<>();
        for (Change change : event.changes()) {
            String resource = change.key().resource();
            if (resource.equals(StorageNames.CLAIMS)) {
                JsonNode claim = StoredJson.tree(change.object());
                String uid = claim.at("/metadata/uid").asText();
                if (change.isRemoval()) {
                    claimsByUid.remove(uid);
                } else {
                    claimsByUid.put(uid, claim);
                }
            } else if (resource.equals(StorageNames.VOLUMES)) {
                JsonNode volume = StoredJson.tree(change.object());
                if (change.isRemoval()) {
                    volumesByName.remove(change.key().name());
                } else {
                    volumesByName.put(change.key().name(), volume);
                    changedVolumes.add(volume);
                }
            }
        }
        changedVolumes.forEach(volume -> judge(event, volume));
    }

    private void judge(Event event, JsonNode volume) {
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
            problems.add("volume " + name + " went from claim " + before + " to " + claim + where);
        }
        String other = volumeOfClaim.put(claim, name);
        if (other != null && !other.equals(name) && volumesByName.containsKey(other)) {
            problems.add("claim " + claim + " has " + other + " and " + name + where);
        }
        JsonNode known = claimsByUid.get(claim);
        boolean bound = volume.at("/status/phase").asText().equals("Bound");
        if (bound && known != null && !known.at("/spec/volumeName").asText().equals(name)) {
            problems.add("volume " + name + " is Bound, and its claim does not know" + where);
        }
    }
}
