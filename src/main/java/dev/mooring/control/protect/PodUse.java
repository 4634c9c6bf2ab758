package dev.mooring.control.protect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which Pods name a claim, and which of them use it. Keeps {@link References}; for one thread. */
public final class PodUse {
    /** What is to be followed. */
    public static final Scope PODS = Scope.resource("pods");

    private final References references = new References(PodUse::claims);

    /**
     * Takes a change of a Pod.
     *
     * @return the claims it may be about
     */
    public Set<ObjectKey> follow(Change change) {
        return references.follow(change);
    }

    /** How many Pods name a claim, as far as was told. */
    public int told(ObjectKey claim) {
        return references.told(claim).size();
    }

    /** The Pods that name a claim, by name. */
    public List<Pod> naming(World world, ObjectKey claim) {
        List<Pod> pods = new ArrayList<>();
        Scope neighbours = Scope.namespace("pods", claim.namespace().orElseThrow());
        references.in(world, neighbours, claim).forEach(pod -> pods.add(Pod.of(pod)));
        return pods;
    }

    /** The Pods that have a claim, by name: those on a node, running or not. */
    public List<Pod> using(World world, Claim claim) {
        return naming(world, claim.key()).stream()
                .filter(pod -> pod.isScheduled() && uses(pod, claim))
                .toList();
    }

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

    /** A claim that only happens to have the name of an ephemeral one is not the Pod's. */
    private static boolean isControlledBy(Claim claim, Pod pod) {
        for (JsonNode owner : claim.metadata().path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)
                    && owner.path("uid").asText("").equals(pod.uid())) {
                return true;
            }
        }
        return false;
    }

    /** Nothing of it is left on its node. It may wait for its own claims to go, so these cannot wait for it. */
    private static boolean isShutDown(Pod pod) {
        return pod.isBeingDeleted()
                && pod.metadata().path("deletionGracePeriodSeconds").asLong(-1) == 0;
    }

    private static List<ObjectKey> claims(StoredObject pod) {
        boolean some = StoredJson.mentions(pod, "persistentVolumeClaim") || StoredJson.mentions(pod, "\"ephemeral\"");
        return some ? Pod.of(pod).claimKeys() : List.of();
    }
}
