package dev.mooring.control.protection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Protects a terminating claim until no Pod on a node uses it and no node has or may have its volume mounted. Until
 * then its condition {@code Terminating} names the users.
 *
 * <p>The API adds the finalizer when a claim is created; this controller restores it where it was removed.
 */
public final class ClaimProtectionController implements Controller {
    static final String NAME = "pvc-protection-controller";
    static final String CONDITION = "Terminating";

    /** Interval at which the condition of a claim with many users is updated. */
    static final Duration STATUS_INTERVAL = Duration.ofSeconds(1);

    private static final String FINALIZER = StorageNames.CLAIM_PROTECTION;
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);

    private final Finalizers finalizers = new Finalizers(NAME, FINALIZER);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(CLAIMS, Indexes.PODS_BY_CLAIM.scope(), Indexes.ACTUAL_VOLUMES_BY_REFERENCE.scope());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (CLAIMS.contains(change.key())) {
            if (!change.isRemoval() && finalizers.needsReconcile(change.object())) {
                queue.enqueue(change.key());
            }
        } else if (Indexes.PODS_BY_CLAIM.scope().contains(change.key())) {
            Indexes.PODS_BY_CLAIM.affectedBy(change, before).forEach(claim -> enqueueIfDeleting(claim, world, queue));
        } else {
            for (ObjectKey touched : Indexes.ACTUAL_VOLUMES_BY_REFERENCE.affectedBy(change, before)) {
                if (CLAIMS.contains(touched)) {
                    enqueueIfDeleting(touched, world, queue);
                } else {
                    boundTo(world, touched).ifPresent(claim -> enqueueIfDeleting(claim, world, queue));
                }
            }
        }
    }

    private static Optional<ObjectKey> boundTo(World world, ObjectKey volume) {
        return world.get(volume).map(Volume::of).flatMap(Volume::claimRef).map(ClaimRef::key);
    }

    private static void enqueueIfDeleting(ObjectKey claim, World world, Enqueuer queue) {
        if (world.get(claim).filter(StoredJson::isBeingDeleted).isEmpty()) {
            return;
        }
        if (world.index(Indexes.PODS_BY_CLAIM).keys(claim).size() > NameLists.MAX) {
            queue.enqueueWithin(claim, STATUS_INTERVAL);
        } else {
            queue.enqueue(claim);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Claim> found = world.get(key).map(Claim::of);
        if (found.isEmpty()) {
            return Decision.none();
        }
        Claim claim = found.get();
        boolean protectedNow = claim.hasFinalizer(FINALIZER);
        if (!claim.isBeingDeleted()) {
            return protectedNow ? Decision.none() : Decision.of(finalizers.add(claim));
        }
        ObjectNode object = claim.copy();
        if (!protectedNow) {
            return updateTerminatingCondition(object, now) ? Decision.of(statusUpdate(claim, object)) : Decision.none();
        }
        String users = ClaimUsers.of(world, claim).text();
        if (!users.isEmpty()) {
            return Decision.of(reportInUse(world, claim, users, now));
        }
        ObjectDeleter.removeText((ObjectNode) object.get("metadata"), "finalizers", FINALIZER);
        updateTerminatingCondition(object, now);
        return Decision.of(new ObjectDeleter(NAME, claim.cause()).removeFinalizer(claim.stored(), object, FINALIZER));
    }

    /** Updates the condition with the remaining finalizers of other owners. Returns whether it changed. */
    private static boolean updateTerminatingCondition(ObjectNode object, Instant now) {
        List<String> others = Finalizers.of(object);
        return others.isEmpty()
                ? Conditions.remove(object, CONDITION)
                : Conditions.put(
                        object,
                        CONDITION,
                        "True",
                        "SomeFinalizersRemain",
                        "kept by " + NameLists.withNoun("finalizer", others)
                                + (others.size() == 1
                                        ? ": its owner must remove it"
                                        : ": their owners must remove them"),
                        now);
    }

    private static Optional<Proposal> reportInUse(World world, Claim claim, String users, Instant now) {
        ObjectNode object = claim.copy();
        String message = "kept by " + FINALIZER + ": " + users;
        if (!Conditions.put(object, CONDITION, "True", "InUse", message, now)) {
            return Optional.empty();
        }
        KubeEvent kubeEvent =
                KubeEvent.normal(KubeEvent.InvolvedObject.of(claim.tree()), EventReasons.CLAIM_IN_USE, message, NAME);
        return Optional.of(JointProposal.of(
                statusUpdate(claim, object), EventProposals.recordEvent(world, kubeEvent, claim.cause(), now)));
    }

    private static Proposal statusUpdate(Claim claim, ObjectNode object) {
        return Proposal.by(NAME, "PersistentVolumeClaimStatusUpdated")
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), object))
                .build();
    }
}
