package dev.mooring.control.protection;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A node that has a volume mounted, possibly mounted, or attached, according to the node's ActualVolumes and the
 * VolumeAttachments. A volume that a node failed to mount without leaving anything is not in use, but one
 * whose mount is retried is. An attachment
 * protects the volume, not the claim.
 *
 * @param node its name; "" if unknown
 */
public record NodeUsage(String node, UsageState state) {
    /** How the node has the volume. */
    public enum UsageState {
        MOUNTED("mounted on "),
        UNCERTAIN("possibly still mounted on "),
        MOUNTING("being mounted on "),
        ATTACHED("attached to ");

        private final String text;

        UsageState(String text) {
            this.text = text;
        }

        /** Returns {@code mounted on}, to be followed by a node. */
        @Override
        public String toString() {
            return text.strip();
        }
    }

    /** Returns the nodes that have a volume. */
    public static List<NodeUsage> of(World world, Volume volume) {
        List<NodeUsage> usages = new ArrayList<>();
        for (StoredObject each : world.find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, volume.key())) {
            addUsage(usages, ActualVolume.of(each));
        }
        for (StoredObject each : world.find(Indexes.ATTACHMENTS_BY_VOLUME, volume.key())) {
            usages.add(new NodeUsage(each.tree().path("spec").path("nodeName").asText(""), UsageState.ATTACHED));
        }
        return usages;
    }

    /** Returns the nodes that have a claim's volume mounted. */
    public static List<NodeUsage> of(World world, Claim claim) {
        List<NodeUsage> usages = new ArrayList<>();
        for (StoredObject each : world.find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, claim.key())) {
            ActualVolume actual = ActualVolume.of(each);
            String uid = actual.spec().path("claim").path("uid").asText("");
            if (uid.isEmpty() || uid.equals(claim.uid())) {
                addUsage(usages, actual);
            }
        }
        for (StoredObject volume : world.find(Indexes.VOLUMES_BY_CLAIM, claim.key())) {
            if (isBound(Volume.of(volume), claim)) {
                for (StoredObject each : world.find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, volume.key())) {
                    ActualVolume actual = ActualVolume.of(each);
                    if (!actual.spec().path("claim").isObject()) {
                        addUsage(usages, actual);
                    }
                }
            }
        }
        return usages;
    }

    private static boolean isBound(Volume volume, Claim claim) {
        return volume.name().equals(claim.volumeName())
                && volume.claimRef()
                        .filter(reference -> reference.admits(claim))
                        .isPresent();
    }

    private static void addUsage(List<NodeUsage> usages, ActualVolume actual) {
        boolean hasDevice =
                !actual.devicePath().isEmpty() || !actual.deviceMountPath().isEmpty();
        if (!hasDevice && actual.mounts().isEmpty() && actual.state().equals(ActualVolume.FAILED)) {
            return;
        }
        boolean isUsed = hasDevice || actual.mounts().stream().anyMatch(ActualVolume.Mount::isMounted);
        usages.add(new NodeUsage(
                actual.node(),
                switch (actual.state()) {
                    case ActualVolume.UNCERTAIN -> UsageState.UNCERTAIN;
                    case ActualVolume.FAILED, ActualVolume.MOUNTING, ActualVolume.ATTACHING ->
                        isUsed ? UsageState.MOUNTED : UsageState.MOUNTING;
                    default -> UsageState.MOUNTED;
                }));
    }

    /** Returns a human-readable description: {@code mounted on nodes n1, n2; attached to node n3}. */
    public static String describe(List<NodeUsage> usages) {
        List<String> parts = new ArrayList<>();
        for (UsageState usageState : UsageState.values()) {
            TreeSet<String> nodes = new TreeSet<>();
            usages.stream().filter(usage -> usage.state == usageState).forEach(usage -> nodes.add(usage.node));
            if (!nodes.isEmpty()) {
                parts.add(usageState.text + NameLists.withNoun("node", nodes));
            }
        }
        return String.join("; ", parts);
    }
}
