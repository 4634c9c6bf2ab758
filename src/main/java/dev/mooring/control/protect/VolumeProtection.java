package dev.mooring.control.protect;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.Phases;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a volume that is being deleted until it is not bound, and no node has it mounted, may have, or has it attached. Until then an
 * Event says who holds it, and the volume itself does.
 *
 * <p>What a volume that is Released or Failed says of itself belongs to those who made it so; about that one there is the Event only.
 *
 * <p>Volumes get the finalizer when they are created; here it is only given to those that lost it.
 */
public final class VolumeProtection implements Controller {
    static final String NAME = "pv-protection-controller";
    static final String IN_USE = "InUse";

    private static final String FINALIZER = StorageNames.VOLUME_PROTECTION;
    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);

    private final Finalizers finalizers = new Finalizers(NAME, FINALIZER);
    private final NodeUse nodes = new NodeUse();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(VOLUMES, NodeUse.MOUNTS, NodeUse.ATTACHMENTS);
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (VOLUMES.contains(change.key())) {
            if (!change.isRemoval() && finalizers.concerns(change.object())) {
                wakes.now(change.key());
            }
            return;
        }
        for (ObjectKey touched : nodes.follow(change)) {
            if (VOLUMES.contains(touched)
                    && world.get(touched).filter(StoredJson::isBeingDeleted).isPresent()) {
                wakes.now(touched);
            }
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Volume> found = world.get(key).map(Volume::of);
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        Volume volume = found.get();
        boolean protectedNow = volume.hasFinalizer(FINALIZER);
        if (!volume.isBeingDeleted()) {
            return protectedNow ? Decision.nothing() : Decision.of(finalizers.add(volume));
        }
        if (!protectedNow) {
            return Decision.nothing();
        }
        String users = users(world, volume);
        if (!users.isEmpty()) {
            return Decision.of(wait(world, volume, users, now));
        }
        ObjectNode object = volume.copy();
        if (volume.status().path("reason").asText("").equals(IN_USE)) {
            Phases.set(object, volume.phase(), "", "", now);
        }
        return Decision.of(new Removal(NAME, volume.cause()).release(volume.stored(), object, FINALIZER));
    }

    private static Optional<Proposal> wait(World world, Volume volume, String users, Instant now) {
        String message = "kept by " + FINALIZER + ": " + users;
        Notice notice = Notice.normal(Notice.Involved.of(volume.tree()), "VolumeInUse", message, NAME);
        Optional<Proposal> event = Notices.tellOnce(world, notice, volume.cause(), now);
        ObjectNode object = volume.copy();
        Phases.set(object, volume.phase(), IN_USE, message, now);
        boolean othersSpeak =
                volume.phase().equals("Released") || volume.phase().equals("Failed");
        // What has been told and is no longer there was taken away by somebody who has to say more; no quarrel about
        // that.
        if (othersSpeak || event.isEmpty() || object.equals(volume.tree())) {
            return event;
        }
        Proposal told = Proposal.by(NAME, "PersistentVolumeStatusUpdated")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), object))
                .build();
        return Optional.of(JointProposal.of(told, event));
    }

    /** Who uses it, in words; "" if nobody does. */
    private String users(World world, Volume volume) {
        List<String> parts = new ArrayList<>();
        if (volume.phase().equals("Bound")) {
            parts.add(volume.claimRef()
                    .map(claim -> "bound to claim " + claim + ": delete that to let go")
                    .orElse("bound"));
        }
        String holds = NodeHold.words(nodes.of(world, volume));
        if (!holds.isEmpty()) {
            parts.add(holds);
        }
        return String.join("; ", parts);
    }
}
