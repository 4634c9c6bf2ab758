package dev.mooring.control.schedule;

import dev.mooring.control.schedule.PodEntry.Standing;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * All Pods that are not over, by claim and by node. It knows what it was told; the World may be newer, so whoever needs to be sure of one
 * asks for it as of a World. For one thread.
 */
final class PodTable {
    private final Map<ObjectKey, PodEntry> entries = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> byClaim = new HashMap<>();
    private final Map<String, NodeUse> byNode = new HashMap<>();

    /** Takes in a change of a Pod; says what was known of it. */
    Optional<PodEntry> follow(Change change) {
        PodEntry before = entries.remove(change.key());
        if (before != null) {
            remove(before);
        }
        if (!change.isRemoval()) {
            PodEntry entry = PodEntry.of(change.object());
            if (!entry.is(Standing.OVER)) {
                add(entry);
            }
        }
        return Optional.ofNullable(before);
    }

    private void add(PodEntry entry) {
        entries.put(entry.key(), entry);
        for (ObjectKey claim : entry.claims()) {
            byClaim.computeIfAbsent(claim, key -> new TreeSet<>()).add(entry.key());
        }
        if (entry.is(Standing.ON_NODE)) {
            byNode.computeIfAbsent(entry.node(), name -> new NodeUse()).add(entry.needs());
        }
    }

    private void remove(PodEntry entry) {
        for (ObjectKey claim : entry.claims()) {
            byClaim.computeIfPresent(claim, (key, pods) -> {
                pods.remove(entry.key());
                return pods.isEmpty() ? null : pods;
            });
        }
        if (entry.is(Standing.ON_NODE)) {
            byNode.computeIfPresent(entry.node(), (name, use) -> {
                use.remove(entry.needs());
                return use.pods() == 0 ? null : use;
            });
        }
    }

    /** What was told of a Pod that is not over. */
    Optional<PodEntry> get(ObjectKey pod) {
        return Optional.ofNullable(entries.get(pod));
    }

    /** A Pod as it is in a World; nothing if it is not there. Reads it only if that is newer. */
    Optional<PodEntry> get(ObjectKey pod, World world) {
        Optional<StoredObject> stored = world.get(pod);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        PodEntry known = entries.get(pod);
        return known != null && known.revision() == stored.get().revision()
                ? Optional.of(known)
                : stored.map(PodEntry::of);
    }

    /** The Pods that use a claim. */
    Set<ObjectKey> users(ObjectKey claim) {
        return byClaim.getOrDefault(claim, Set.of());
    }

    NodeUse use(String node) {
        return byNode.getOrDefault(node, NodeUse.NONE);
    }
}
