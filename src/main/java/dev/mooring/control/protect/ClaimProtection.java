package dev.mooring.control.protect;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a claim that is being deleted until no Pod on a node names it and no node has its volume mounted, or may have. Until then its
 * condition {@code Terminating} says who holds it.
 *
 * <p>Claims get the finalizer when they are created; here it is only given to those that lost it.
 */
public final class ClaimProtection implements Controller {
    static final String NAME = "pvc-protection-controller";
    static final String CONDITION = "Terminating";

    /** How often the words of a claim with many users are renewed as these go one by one. */
    static final Duration PACE = Duration.ofSeconds(1);

    private static final String FINALIZER = StorageNames.CLAIM_PROTECTION;
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);

    private final Finalizers finalizers = new Finalizers(NAME, FINALIZER);
    private final PodUse pods = new PodUse();
    private final NodeUse nodes = new NodeUse();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(CLAIMS, PodUse.PODS, NodeUse.MOUNTS);
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (CLAIMS.contains(change.key())) {
            if (!change.isRemoval() && finalizers.concerns(change.object())) {
                wakes.now(change.key());
            }
        } else if (PodUse.PODS.contains(change.key())) {
            pods.follow(change).forEach(claim -> wake(claim, world, wakes));
        } else {
            for (ObjectKey touched : nodes.follow(change)) {
                if (CLAIMS.contains(touched)) {
                    wake(touched, world, wakes);
                } else {
                    boundTo(world, touched).ifPresent(claim -> wake(claim, world, wakes));
                }
            }
        }
    }

    private static Optional<ObjectKey> boundTo(World world, ObjectKey volume) {
        return world.get(volume).map(Volume::of).flatMap(Volume::claimRef).map(ClaimRef::key);
    }

    private void wake(ObjectKey claim, World world, Wakes wakes) {
        if (world.get(claim).filter(StoredJson::isBeingDeleted).isEmpty()) {
            return;
        }
        if (pods.told(claim) > Names.MAX) {
            wakes.within(claim, PACE);
        } else {
            wakes.now(claim);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Claim> found = world.get(key).map(Claim::of);
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        Claim claim = found.get();
        boolean protectedNow = claim.hasFinalizer(FINALIZER);
        if (!claim.isBeingDeleted()) {
            return protectedNow ? Decision.nothing() : Decision.of(finalizers.add(claim));
        }
        ObjectNode object = claim.copy();
        if (!protectedNow) {
            return tellOthers(object, now) ? Decision.of(told(claim, object)) : Decision.nothing();
        }
        String users = users(world, claim);
        if (!users.isEmpty()) {
            return Decision.of(wait(world, claim, users, now));
        }
        Removal.removeText((ObjectNode) object.get("metadata"), "finalizers", FINALIZER);
        tellOthers(object, now);
        return Decision.of(new Removal(NAME, claim.cause()).release(claim.stored(), object, FINALIZER));
    }

    /** Says which finalizers of others hold it, if any does; whether that is news. */
    private static boolean tellOthers(ObjectNode object, Instant now) {
        List<String> others = Finalizers.of(object);
        return others.isEmpty()
                ? Conditions.remove(object, CONDITION)
                : Conditions.put(
                        object,
                        CONDITION,
                        "True",
                        "SomeFinalizersRemain",
                        "kept by " + Names.counted("finalizer", others) + ": whoever added "
                                + (others.size() == 1 ? "it" : "them") + " has to let go",
                        now);
    }

    private static Optional<Proposal> wait(World world, Claim claim, String users, Instant now) {
        ObjectNode object = claim.copy();
        String message = "kept by " + FINALIZER + ": " + users;
        if (!Conditions.put(object, CONDITION, "True", "InUse", message, now)) {
            return Optional.empty();
        }
        Notice notice = Notice.normal(Notice.Involved.of(claim.tree()), "ClaimInUse", message, NAME);
        return Optional.of(JointProposal.of(told(claim, object), Notices.tell(world, notice, claim.cause(), now)));
    }

    private static Proposal told(Claim claim, ObjectNode object) {
        return Proposal.by(NAME, "PersistentVolumeClaimStatusUpdated")
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), object))
                .build();
    }

    /** Who uses it, in words; "" if nobody does. */
    private String users(World world, Claim claim) {
        List<String> parts = new ArrayList<>();
        List<Pod> users = pods.using(world, claim);
        if (!users.isEmpty()) {
            parts.add("used by " + Names.counted("Pod", names(users)));
        }
        List<Pod> finished = users.stream().filter(Pod::isFinished).toList();
        if (!finished.isEmpty()) {
            boolean one = finished.size() == 1;
            parts.add(Names.some(names(finished)) + (one ? " is " : " are ") + ended(finished) + ": delete "
                    + (one ? "it" : "them") + " to let go");
        }
        String mounts = NodeHold.words(nodes.of(world, claim));
        if (!mounts.isEmpty()) {
            parts.add(mounts);
        }
        return String.join("; ", parts);
    }

    /** As kubectl calls it, if it calls them all the same. */
    private static String ended(List<Pod> finished) {
        if (finished.stream().allMatch(pod -> pod.phase().equals("Succeeded"))) {
            return "Completed";
        }
        return finished.stream().allMatch(pod -> pod.phase().equals("Failed")) ? "Failed" : "Completed or Failed";
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream().map(Pod::name).toList();
    }
}
