package dev.mooring.control.protection;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * The users for which a terminating claim is kept. Immutable.
 *
 * @param pods Pods on nodes, running or not
 * @param nodes nodes that have or may have the claim's volume mounted
 */
public record ClaimUsers(List<Pod> pods, List<NodeUsage> nodes) {
    public ClaimUsers {
        pods = List.copyOf(pods);
        nodes = List.copyOf(nodes);
    }

    public static ClaimUsers of(World world, Claim claim) {
        List<Pod> pods = world.find(Indexes.PODS_BY_CLAIM, claim.key()).stream()
                .map(Pod::of)
                .filter(pod -> pod.isScheduled() && uses(pod, claim))
                .toList();
        return new ClaimUsers(pods, NodeUsage.of(world, claim));
    }

    /** Describes the users; "" if there are none. */
    String text() {
        List<String> parts = new ArrayList<>();
        if (!pods.isEmpty()) {
            parts.add("used by " + NameLists.withNoun("Pod", names(pods)));
        }
        List<Pod> finished = pods.stream().filter(Pod::isFinished).toList();
        if (!finished.isEmpty()) {
            boolean one = finished.size() == 1;
            parts.add(NameLists.abbreviated(names(finished)) + (one ? " is " : " are ") + finishedPhase(finished)
                    + ": delete " + (one ? "it" : "them") + " to release the claim");
        }
        String mounts = NodeUsage.describe(nodes);
        if (!mounts.isEmpty()) {
            parts.add(mounts);
        }
        return String.join("; ", parts);
    }

    /** Returns whether a Pod on a node uses the claim, running or not. */
    private static boolean uses(Pod pod, Claim claim) {
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (volume.path("persistentVolumeClaim")
                    .path("claimName")
                    .asText("")
                    .equals(claim.name())) {
                return true;
            }
            if (volume.hasNonNull("ephemeral")
                    && pod.ephemeralClaim(volume.path("name").asText("")).equals(claim.name())
                    && isControlledBy(claim, pod)
                    && !isShutDown(pod)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the Pod owns the claim; a claim may just happen to have the name of an ephemeral one. */
    private static boolean isControlledBy(Claim claim, Pod pod) {
        for (JsonNode owner : claim.metadata().path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)
                    && owner.path("uid").asText("").equals(pod.uid())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether nothing of the Pod is left on its node. It may wait for its own claims to go, so they must not
     * wait for it.
     */
    private static boolean isShutDown(Pod pod) {
        return pod.isBeingDeleted()
                && pod.metadata().path("deletionGracePeriodSeconds").asLong(-1) == 0;
    }

    /** Returns the status of the finished Pods as kubectl shows it; both if they differ. */
    private static String finishedPhase(List<Pod> finished) {
        if (finished.stream().allMatch(pod -> pod.phase().equals("Succeeded"))) {
            return "Completed";
        }
        return finished.stream().allMatch(pod -> pod.phase().equals("Failed")) ? "Failed" : "Completed or Failed";
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream().map(Pod::name).toList();
    }
}
