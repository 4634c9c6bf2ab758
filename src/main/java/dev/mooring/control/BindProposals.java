package dev.mooring.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Builds the objects and proposals of a binding, including Kubernetes' annotations. One event writes both sides, so a
 * binding is never half-written; existing fields are kept, so a half-written binding by another tool is completed.
 * Pure; thread-safe.
 */
public final class BindProposals {
    /** Condition of a claim that says whether it is bound, and if not, why. */
    public static final String BOUND_CONDITION = "Bound";

    /** Field of a claim's status: uid of the volume it is bound to. */
    public static final String VOLUME_UID = "volumeUID";

    private static final String YES = "yes";

    private BindProposals() {}

    /** Returns the volume as bound to the claim: claimRef, annotation and phase. */
    public static ObjectNode boundVolume(Volume volume, Claim claim, Instant now) {
        ObjectNode bound = volume.copy();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isEmpty() || !ref.get().names(claim) || !ref.get().uid().equals(claim.uid())) {
            bound.withObject("/spec").set("claimRef", claimReference(claim));
        }
        if (ref.filter(each -> each.admits(claim)).isEmpty()) {
            Annotations.put(bound, StorageNames.BOUND_BY_CONTROLLER, YES);
        }
        if (!volume.phase().equals("Bound")) {
            Phases.set(
                    bound, "Bound", "", "", now); // other controllers maintain the message of a volume that stays bound
        }
        return bound;
    }

    /** Returns an object reference to a claim. */
    public static ObjectNode claimReference(Claim claim) {
        ObjectNode reference = claim.tree().objectNode();
        reference.put("kind", "PersistentVolumeClaim");
        reference.put("namespace", claim.namespace());
        reference.put("name", claim.name());
        reference.put("uid", claim.uid());
        reference.put("apiVersion", "v1");
        reference.put("resourceVersion", Long.toString(claim.revision()));
        return reference;
    }

    /**
     * Returns the claim as bound to a volume: volumeName, annotations and status.
     *
     * @param boundVolume as it is or will be in the same event
     */
    public static ObjectNode boundClaim(Claim claim, ObjectNode boundVolume, Instant now) {
        ObjectNode bound = claim.copy();
        JsonNode metadata = boundVolume.path("metadata");
        String name = metadata.path("name").asText();
        if (!claim.volumeName().equals(name)) {
            bound.withObject("/spec").put("volumeName", name);
            Annotations.put(bound, StorageNames.BOUND_BY_CONTROLLER, YES);
        }
        if (!claim.isBindCompleted()) {
            Annotations.put(bound, StorageNames.BIND_COMPLETED, YES);
        }
        ObjectNode status = bound.withObject("/status");
        JsonNode spec = boundVolume.path("spec");
        if (!claim.phase().equals("Bound")) {
            status.put("phase", "Bound");
            capacity(status, boundVolume);
            String attributes = spec.path("volumeAttributesClassName").asText("");
            if (!attributes.isEmpty()) {
                status.put("currentVolumeAttributesClassName", attributes);
            }
        }
        status.set("accessModes", spec.path("accessModes").deepCopy());
        status.put("volumeName", name);
        status.put(VOLUME_UID, metadata.path("uid").asText(""));
        if (!claim.phase().equals("Bound")
                || Conditions.find(bound, BOUND_CONDITION).isPresent()) {
            Conditions.put(bound, BOUND_CONDITION, "True", "Bound", "bound to volume " + name, now);
        }
        return bound;
    }

    /**
     * Sets the claim's capacity from the volume; during an expansion, the capacity before it. For a bound claim the
     * expand controller maintains it.
     */
    private static void capacity(ObjectNode status, ObjectNode volume) {
        JsonNode whole = volume.path("spec").path("capacity");
        ObjectNode capacity = whole instanceof ObjectNode given ? given.deepCopy() : status.objectNode();
        JsonNode before = volume.path("metadata").path("annotations").path(StorageNames.PRE_RESIZE);
        if (before.isTextual()) {
            capacity.put("storage", before.textValue());
        }
        status.set("capacity", capacity);
    }

    /** Returns the volume without its claimRef; keeps a claimRef that a user set, without its uid. Keeps the phase. */
    public static ObjectNode unbound(Volume volume) {
        ObjectNode next = volume.copy();
        ObjectNode spec = next.withObject("/spec");
        if (volume.isBoundByController()) {
            spec.remove("claimRef");
            Annotations.remove(next, StorageNames.BOUND_BY_CONTROLLER);
        } else {
            ((ObjectNode) spec.get("claimRef")).remove(List.of("uid", "resourceVersion"));
        }
        return next;
    }

    /**
     * Returns one event that binds both or completes a half-written binding; empty if nothing is missing.
     *
     * @param actor the controller that decided
     */
    public static Optional<Proposal> bind(Volume volume, Claim claim, String actor, Instant now) {
        ObjectNode boundVolume = boundVolume(volume, claim, now);
        ObjectNode boundClaim = boundClaim(claim, boundVolume, now);
        boolean volumeChanges = !boundVolume.equals(volume.tree());
        boolean claimChanges = !boundClaim.equals(claim.tree());
        if (!volumeChanges && !claimChanges) {
            return Optional.empty();
        }
        Proposal.Builder proposal = Proposal.by(actor, "VolumeBound").because(newer(volume, claim));
        if (volumeChanges) {
            proposal.replace(volume.stored(), Draft.of(volume.key(), boundVolume));
        } else {
            proposal.expect(volume.stored());
        }
        if (claimChanges) {
            proposal.replace(claim.stored(), Draft.of(claim.key(), boundClaim));
        } else {
            proposal.expect(claim.stored());
        }
        return Optional.of(proposal.build());
    }

    private static Cause newer(Volume volume, Claim claim) {
        return volume.revision() > claim.revision() ? volume.cause() : claim.cause();
    }
}
