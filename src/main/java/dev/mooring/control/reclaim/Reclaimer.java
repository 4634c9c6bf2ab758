package dev.mooring.control.reclaim;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.control.protect.NodeUse;
import dev.mooring.control.protect.PodUse;
import dev.mooring.control.protect.References;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Does with a volume whose claim is gone what its policy says: keeps it, has its data deleted and lets it go, or has it emptied and offers it
 * again. The work itself is a VolumeOperation that a node does; it begins when no node has the volume any more, and what it came to
 * is one event with the end of the operation. So at every moment the objects say how far it is.
 *
 * <p>Keeps indexes of those volumes only that nobody claims any more, and of who may use them.
 */
public final class Reclaimer implements Controller {
    static final String NAME = StorageNames.VOLUME_CONTROLLER_NAME;

    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final Scope OPERATIONS = Scope.resource(StorageNames.OPERATIONS);

    /** What volumes without a claim are kept under. */
    private static final ObjectKey NO_CLAIM = new ClaimRef("", "", "").key();

    private final References waiting = new References(Reclaimer::lastClaim);
    private final References orders = new References(Reclaimer::orderedFor);
    private final NodeUse nodes = new NodeUse();
    private final PodUse pods = new PodUse();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String part() {
        return "reclaimer";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                VOLUMES, CLAIMS, OPERATIONS, PodUse.PODS, NodeUse.MOUNTS, NodeUse.ATTACHMENTS, HoldingNode.NODES);
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        ObjectKey key = change.key();
        if (VOLUMES.contains(key)) {
            followVolume(change, wakes);
        } else if (CLAIMS.contains(key)) {
            waiting.told(key).forEach(wakes::now);
            if (change.isRemoval()) {
                // It may have kept a volume that does not name it.
                waiting.told(NO_CLAIM).forEach(wakes::now);
            }
        } else if (OPERATIONS.contains(key)) {
            orders.follow(change).forEach(wakes::now);
        } else if (PodUse.PODS.contains(key)) {
            pods.follow(change).forEach(claim -> waiting.told(claim).forEach(wakes::now));
        } else if (!HoldingNode.NODES.contains(key)) {
            for (ObjectKey touched : nodes.follow(change)) {
                if (waiting.told().contains(touched)) {
                    wakes.now(touched);
                }
            }
        } else if (isNews(change, before)) {
            waiting.told().forEach(wakes::now);
        }
    }

    private void followVolume(Change change, Wakes wakes) {
        boolean waited = waiting.told().contains(change.key());
        waiting.follow(change);
        boolean waits = waiting.told().contains(change.key());
        boolean ordered = !orders.told(change.key()).isEmpty();
        boolean outOfStep = !change.isRemoval()
                && StoredJson.mentions(change.object(), StorageNames.PROVISIONED_BY)
                && KeepingFinalizer.inStep(Volume.of(change.object())).isPresent();
        if (waited || waits || ordered || outOfStep) {
            wakes.now(change.key());
        }
    }

    /** Whether a node came or went, is called otherwise, or began or ceased to work. */
    private static boolean isNews(Change change, Optional<StoredObject> before) {
        if (change.isRemoval() || before.isEmpty()) {
            return true;
        }
        Node was = Node.of(before.get());
        Node is = Node.of(change.object());
        return was.isKnownNotReady() != is.isKnownNotReady() || !was.labels().equals(is.labels());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        List<VolumeOperation> found = new ArrayList<>();
        orders.in(world, OPERATIONS, key).forEach(each -> found.add(VolumeOperation.of(each)));
        Optional<Volume> volume = world.get(key).map(Volume::of);
        Leftovers leftovers = new Leftovers(volume, found);
        if (volume.isEmpty() || !leftovers.isEmpty()) {
            return Decision.of(leftovers.cleared());
        }
        return new Reclaim(world, volume.get(), nodes, pods, now).decide();
    }

    /** The claim that a volume was last of, if it is a volume to be looked after here; the volumes are found by it. */
    private static List<ObjectKey> lastClaim(StoredObject object) {
        boolean may = StoredJson.mentions(object, "\"Released\"")
                || StoredJson.mentions(object, "\"Failed\"")
                || StoredJson.mentions(object, "deletionTimestamp");
        if (!may) {
            return List.of();
        }
        Volume volume = Volume.of(object);
        boolean waits =
                volume.phase().equals("Released") || volume.phase().equals("Failed") || Reclaim.neverHadAClaim(volume);
        return waits ? List.of(volume.claimRef().map(ClaimRef::key).orElse(NO_CLAIM)) : List.of();
    }

    private static List<ObjectKey> orderedFor(StoredObject operation) {
        String volume =
                WorkOrder.isOne(operation.key()) ? VolumeOperation.of(operation).volume() : "";
        boolean named =
                !volume.isEmpty() && volume.indexOf('/') < 0 && volume.chars().noneMatch(c -> c <= ' ');
        return named ? List.of(Volume.key(volume)) : List.of();
    }
}
