package dev.mooring.control.persistentvolume;

import dev.mooring.control.persistentvolume.ClaimStatusWriter.StatusMessage;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;

/** What the PersistentVolumeController decides for a claim, and why. Immutable. */
public sealed interface ClaimDecision {
    /**
     * Claim and volume are bound to each other, or bind now.
     *
     * @param wasFree whether the volume had no claim before
     */
    record Bind(Volume volume, boolean wasFree) implements ClaimDecision {}

    /** The claim has no class and gets the default one. */
    record AssignDefaultClass(StorageClass storageClass) implements ClaimDecision {}

    /** The claim gets the annotation with the name of its provisioner. */
    record NameProvisioner(StorageClass storageClass) implements ClaimDecision {}

    /** A node starts to provision a volume. */
    record StartProvisioning(Proposal proposal) implements ClaimDecision {}

    /** A node provisions the volume. */
    record ProvisioningUnderway(VolumeOperation operation, String message) implements ClaimDecision {}

    /** The claim is terminating, or another claim is about to get the volume. */
    record Nothing() implements ClaimDecision {}

    /** The claim cannot be bound now. */
    record Unbound(UnboundReason reason, StatusMessage message) implements ClaimDecision {
        /** Returns the reason of the claim's condition and Event. */
        public String eventReason() {
            return message.reason();
        }

        /** Returns the message of the Event. */
        public String text() {
            return message.message();
        }
    }

    /** Why a claim cannot be bound. */
    enum UnboundReason {
        /** Its class waits for a Pod, and there is none. */
        CONSUMER_MISSING,
        CONSUMER_NOT_SCHEDULED,
        /** No volume matches, and the claim has no class. */
        NO_CLASS,
        CLASS_MISSING,
        /** The class has a provisioner of Kubernetes that Mooring does not have. */
        PROVISIONER_MISSING,
        EXTERNAL_PROVISIONER,
        PROVISIONING_IMPOSSIBLE,
        /** The volume that the claim names does not exist. */
        VOLUME_MISSING,
        /** The volume that the claim names belongs to another claim. */
        VOLUME_TAKEN,
        /** The volume that the claim names does not match. */
        VOLUME_MISMATCH,
        /** The claim was bound, and its volume was deleted. */
        VOLUME_LOST,
        /** The claim was bound, and no longer names its volume. */
        REFERENCE_LOST,
        /** The claim was bound to a volume that belongs to another claim. */
        MISBOUND,
        /** The claim was bound, and its volume was deleted and created again. */
        VOLUME_REPLACED
    }

    /** Decides for a claim, as the controller does when no other binding is in progress. Pure. */
    static ClaimDecision of(World world, Claim claim, Instant now) {
        return new ClaimSync(world, claim, new BinderCache(), now).decide();
    }
}
