package dev.mooring.api.rules.pod;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rules of a Pod's volumes: their names, and that each has exactly one source. Stateless. */
final class PodVolumeRules {
    private static final String SECOND_SOURCE = "may not specify more than 1 volume type";

    private PodVolumeRules() {}

    /**
     * Validates the volumes.
     *
     * @param podName empty if it is not known yet
     * @return the valid volumes by name, which mounts may use
     */
    static Map<String, FieldCursor> check(FieldCursor volumes, String podName) {
        if (volumes.value().isEmpty()) {
            return Map.of();
        }
        Set<String> claimsToBeMade = claimsToBeMade(volumes, podName);
        Map<String, FieldCursor> sound = new HashMap<>();
        for (FieldCursor volume : volumes.each()) {
            int before = volume.violationCount();
            checkSource(volume, podName);
            FieldCursor name = volume.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else {
                NameValidation.label(name);
            }
            if (sound.containsKey(name.text())) {
                name.duplicate();
            }
            if (volume.violationCount() == before) {
                sound.put(name.text(), volume);
            }
            FieldCursor claimName = volume.at("persistentVolumeClaim").at("claimName");
            if (claimName.present() && claimsToBeMade.contains(claimName.text())) {
                claimName.invalid("must not reference a PVC that gets created for an ephemeral volume");
            }
        }
        return sound;
    }

    private static Set<String> claimsToBeMade(FieldCursor volumes, String podName) {
        if (podName.isEmpty()) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (FieldCursor volume : volumes.each()) {
            if (volume.has("ephemeral")) {
                names.add(podName + '-' + volume.text("name"));
            }
        }
        return names;
    }

    private static void checkSource(FieldCursor volume, String podName) {
        boolean found = false;
        for (PodVolumeSourceRule source : PodVolumeSourceRule.ALL) {
            if (!volume.has(source.field())) {
                continue;
            }
            if (found) {
                volume.at(source.field()).forbidden(SECOND_SOURCE);
            } else {
                found = true;
                source.check(volume.at(source.field()));
                if (source.field().equals("ephemeral")) {
                    checkNameOfClaim(volume, podName);
                }
            }
            if (source.field().equals("iscsi")) {
                checkLengthOfPortal(volume);
            }
        }
        if (!found) {
            volume.required("must specify a volume type");
        }
    }

    private static void checkNameOfClaim(FieldCursor volume, String podName) {
        FieldCursor name = volume.at("name");
        if (podName.isEmpty() || name.text().isEmpty()) {
            return;
        }
        String claim = podName + '-' + name.text();
        NameValidation.subdomain(claim, problem -> name.invalid("PVC name \"" + claim + "\": " + problem));
    }

    private static void checkLengthOfPortal(FieldCursor volume) {
        FieldCursor iscsi = volume.at("iscsi");
        String together = volume.text("name") + ':' + iscsi.text("targetPortal");
        if (iscsi.has("initiatorName") && together.length() > 64) {
            volume.at("name")
                    .invalid("Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if"
                            + " iscsi.initiatorName is specified.");
        }
    }
}
