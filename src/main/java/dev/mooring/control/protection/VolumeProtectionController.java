package dev.mooring.control.protection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.Phases;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Protects a terminating volume until it is not bound and no node has it mounted, possibly mounted, or attached. Until
 * then an Event and the volume's status name the users.
 *
 * <p>The status of a Released or Failed volume belongs to other controllers; for those volumes there is only the Event.
 *
 * <p>The API adds the finalizer when a volume is created; this controller restores it where it was removed.
 */
public final class VolumeProtectionController implements Controller {
    static final String NAME = "pv-protection-controller";
    static final String IN_USE = "InUse";

    private static final String FINALIZER = StorageNames.VOLUME_PROTECTION;
    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);

    private final Finalizers finalizers = new Finalizers(NAME, FINALIZER);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(VOLUMES, Indexes.ACTUAL_VOLUMES_BY_REFERENCE.scope(), Indexes.ATTACHMENTS_BY_VOLUME.scope());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (VOLUMES.contains(change.key())) {
            if (!change.isRemoval() && finalizers.needsReconcile(change.object())) {
                queue.enqueue(change.key());
            }
            return;
        }
        Index<ObjectKey> index = Indexes.ATTACHMENTS_BY_VOLUME.scope().contains(change.key())
                ? Indexes.ATTACHMENTS_BY_VOLUME
                : Indexes.ACTUAL_VOLUMES_BY_REFERENCE;
        for (ObjectKey touched : index.affectedBy(change, before)) {
            if (VOLUMES.contains(touched)
                    && world.get(touched).filter(StoredJson::isBeingDeleted).isPresent()) {
                queue.enqueue(touched);
            }
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Volume> found = world.get(key).map(Volume::of);
        if (found.isEmpty()) {
            return Decision.none();
        }
        Volume volume = found.get();
        boolean protectedNow = volume.hasFinalizer(FINALIZER);
        if (!volume.isBeingDeleted()) {
            return protectedNow ? Decision.none() : Decision.of(finalizers.add(volume));
        }
        if (!protectedNow) {
            return Decision.none();
        }
        String users = VolumeUsers.of(world, volume).text();
        if (!users.isEmpty()) {
            return Decision.of(reportInUse(world, volume, users, now));
        }
        ObjectNode object = volume.copy();
        if (volume.status().path("reason").asText("").equals(IN_USE)) {
            Phases.set(object, volume.phase(), "", "", now);
        }
        return Decision.of(new ObjectDeleter(NAME, volume.cause()).removeFinalizer(volume.stored(), object, FINALIZER));
    }

    private static Optional<Proposal> reportInUse(World world, Volume volume, String users, Instant now) {
        String message = "kept by " + FINALIZER + ": " + users;
        KubeEvent kubeEvent =
                KubeEvent.normal(KubeEvent.InvolvedObject.of(volume.tree()), EventReasons.VOLUME_IN_USE, message, NAME);
        Optional<Proposal> event = EventProposals.recordEventOnce(world, kubeEvent, volume.cause(), now);
        ObjectNode object = volume.copy();
        Phases.set(object, volume.phase(), IN_USE, message, now);
        boolean isStatusOwnedByOthers =
                volume.phase().equals("Released") || volume.phase().equals("Failed");
        // If the Event exists but the status no longer has the message, another controller replaced it; leave that as
        // it is.
        if (isStatusOwnedByOthers || event.isEmpty() || object.equals(volume.tree())) {
            return event;
        }
        Proposal statusUpdate = Proposal.by(NAME, "PersistentVolumeStatusUpdated")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), object))
                .build();
        return Optional.of(JointProposal.of(statusUpdate, event));
    }

    /**
     * The users for which a terminating volume is kept.
     *
     * @param claim the bound claim; empty if the volume is not bound
     * @param nodes nodes that have the volume mounted, possibly mounted, or attached
     */
    public record VolumeUsers(Optional<String> claim, List<NodeUsage> nodes) {
        public static VolumeUsers of(World world, Volume volume) {
            Optional<String> claim = Optional.of(volume)
                    .filter(each -> each.phase().equals("Bound"))
                    .map(each -> each.claimRef().map(ClaimRef::toString).orElse(""));
            return new VolumeUsers(claim, NodeUsage.of(world, volume));
        }

        /** Describes the users; "" if there are none. */
        String text() {
            List<String> parts = new ArrayList<>();
            claim.ifPresent(name -> parts.add(
                    name.isEmpty() ? "bound" : "bound to claim " + name + ": delete that claim to release the volume"));
            String nodeUsage = NodeUsage.describe(nodes);
            if (!nodeUsage.isEmpty()) {
                parts.add(nodeUsage);
            }
            return String.join("; ", parts);
        }
    }
}
