package dev.mooring.control.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Phases;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.util.Optional;

/**
 * What being bound looks like on either side, down to the annotations by which other tools read it. Both sides are written in one event, so
 * there is no half of it; what is there already stays, so that half of it left by somebody else is made whole. Pure; any thread.
 */
public final class Bind {
    /** The condition of a claim that says why it is not bound. */
    public static final String BOUND_CONDITION = "Bound";

    /** In a claim's status: which incarnation of the volume it is bound to. */
    static final String VOLUME_UID = "volumeUID";

    private static final String YES = "yes";

    private Bind() {}

    /** The volume as bound to the claim: the reference, who decided it, and the phase. */
    public static ObjectNode volume(Volume volume, Claim claim, Instant now) {
        ObjectNode bound = volume.copy();
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isEmpty() || !ref.get().names(claim) || !ref.get().uid().equals(claim.uid())) {
            bound.withObject("/spec").set("claimRef", reference(claim));
        }
        if (ref.filter(each -> each.admits(claim)).isEmpty()) {
            annotate(bound, StorageNames.BOUND_BY_CONTROLLER, YES);
        }
        if (!volume.phase().equals("Bound")) {
            Phases.set(bound, "Bound", "", "", now); // what is said of one that stays bound is others' to say
        }
        return bound;
    }

    /** A claim as a volume refers to it. */
    public static ObjectNode reference(Claim claim) {
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
     * The claim as bound to a volume: the name, who decided it, and what it got.
     *
     * @param boundVolume as it is or will be in the same event
     */
    public static ObjectNode claim(Claim claim, ObjectNode boundVolume, Instant now) {
        ObjectNode bound = claim.copy();
        JsonNode metadata = boundVolume.path("metadata");
        String name = metadata.path("name").asText();
        if (!claim.volumeName().equals(name)) {
            bound.withObject("/spec").put("volumeName", name);
            annotate(bound, StorageNames.BOUND_BY_CONTROLLER, YES);
        }
        if (!claim.isBindCompleted()) {
            annotate(bound, StorageNames.BIND_COMPLETED, YES);
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
        Conditions.remove(bound, BOUND_CONDITION);
        return bound;
    }

    /** What the volume holds; while an expansion is under way, what it held before. A bound claim's is the business of expansion. */
    private static void capacity(ObjectNode status, ObjectNode volume) {
        JsonNode whole = volume.path("spec").path("capacity");
        ObjectNode capacity = whole instanceof ObjectNode given ? given.deepCopy() : status.objectNode();
        JsonNode before = volume.path("metadata").path("annotations").path(StorageNames.PRE_RESIZE);
        if (before.isTextual()) {
            capacity.put("storage", before.textValue());
        }
        status.set("capacity", capacity);
    }

    static void annotate(ObjectNode object, String name, String value) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        if (!(metadata.get("annotations") instanceof ObjectNode)) {
            metadata.putObject("annotations");
        }
        ((ObjectNode) metadata.get("annotations")).put(name, value);
    }

    /**
     * One event that binds both, or makes whole what is half bound; nothing if nothing is missing.
     *
     * @param actor who decided it
     */
    public static Optional<Proposal> proposal(Volume volume, Claim claim, String actor, Instant now) {
        ObjectNode boundVolume = volume(volume, claim, now);
        ObjectNode boundClaim = claim(claim, boundVolume, now);
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
