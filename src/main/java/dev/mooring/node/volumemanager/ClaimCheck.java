package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/**
 * Checks whether a Pod may use a claim and its volume: both exist and are bound to each other. Messages are the
 * kubelet's. Pure.
 *
 * @param name of the volume's claim
 */
record ClaimCheck(Pod pod, UsedVolume used, String name) {
    /** Returns the claim if it is bound; sets its UID in the reference as soon as the claim is found. */
    Claim requireBound(Optional<Claim> found, ObjectNode reference) throws UnresolvedException {
        if (found.isEmpty()) {
            throw problem(
                    "ClaimNotFound",
                    "failed to fetch PVC from API server: persistentvolumeclaims \"" + name + "\" not found");
        }
        Claim claim = found.get();
        reference.put("uid", claim.uid());
        // While the claim has its protection finalizer, a Pod may use it, possibly this one.
        if (claim.isBeingDeleted() && !claim.hasFinalizer(StorageNames.CLAIM_PROTECTION)) {
            throw problem("ClaimBeingDeleted", "PVC is being deleted");
        }
        if (!claim.phase().equals("Bound")) {
            throw problem("ClaimNotBound", "PVC is not bound");
        }
        if (claim.volumeName().isEmpty()) {
            throw problem("ClaimWithoutVolume", "PVC has empty pvc.Spec.VolumeName");
        }
        if (used.isEphemeral() && !isMadeForPod(claim)) {
            throw new UnresolvedException(
                    "ClaimOfAnother",
                    "PVC " + pod.namespace() + '/' + name + " was not created for pod " + pod.namespace() + '/'
                            + pod.name() + " (pod is not owner)");
        }
        return claim;
    }

    private boolean isMadeForPod(Claim claim) {
        for (JsonNode owner : claim.metadata().path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)
                    && owner.path("uid").asText("").equals(pod.uid())) {
                return true;
            }
        }
        return false;
    }

    /** Returns the volume if it is bound to the claim. */
    Volume requireVolumeOf(Claim claim, Optional<Volume> found) throws UnresolvedException {
        String volume = claim.volumeName();
        if (found.isEmpty()) {
            throw problem(
                    "VolumeNotFound",
                    "failed to fetch PV " + volume + " from API server: persistentvolumes \"" + volume
                            + "\" not found");
        }
        Optional<ClaimRef> owner = found.get().claimRef();
        if (owner.isEmpty()) {
            throw problem(
                    "VolumeNotBound",
                    "found PV object " + volume
                            + " but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim");
        }
        if (!owner.get().uid().equals(claim.uid())) {
            throw problem(
                    "VolumeOfAnother",
                    "found PV object " + volume + " but its pv.Spec.ClaimRef.UID "
                            + owner.get().uid() + " does not point to claim.UID " + claim.uid());
        }
        return found.get();
    }

    private UnresolvedException problem(String reason, String message) {
        return new UnresolvedException(reason, "error processing PVC " + pod.namespace() + '/' + name + ": " + message);
    }
}
