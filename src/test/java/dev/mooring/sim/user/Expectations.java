package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Conditions;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.sim.Findings;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What must be so once faults have ended and everybody had time (I7): all that can be done is done, and what cannot says why. Each rule says no
 * more than that; {@link PodExpectations} has those about Pods and what nodes have.
 */
final class Expectations {
    static final String LIVENESS = "I7";

    /** Longer than any pause between two attempts. */
    static final Duration LONG = Duration.ofMinutes(6);

    private final World world;
    private final Instant now;
    private final Findings findings;
    private final List<Claim> claims = new ArrayList<>();
    private final List<Volume> volumes = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<ActualVolume> actual = new ArrayList<>();
    private final List<VolumeOperation> operations = new ArrayList<>();

    Expectations(World world, Instant now, Findings findings) {
        this.world = world;
        this.now = now;
        this.findings = findings;
        world.list(Scope.resource(Pools.CLAIMS)).forEach(each -> claims.add(Claim.of(each)));
        world.list(Scope.resource(Pools.VOLUMES)).forEach(each -> volumes.add(Volume.of(each)));
        world.list(Scope.resource(Pools.PODS)).forEach(each -> pods.add(Pod.of(each)));
        world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES)).forEach(each -> actual.add(ActualVolume.of(each)));
        world.list(Scope.resource(StorageNames.OPERATIONS)).forEach(each -> operations.add(VolumeOperation.of(each)));
    }

    void check() {
        claims.forEach(this::waitingClaimSaysWhy);
        claims.forEach(this::claimThatFitsIsBound);
        claims.forEach(this::deletedClaimIsGone);
        volumes.forEach(this::deletedVolumeIsGone);
        operations.forEach(this::workIsDone);
        world.list(Scope.resource(Pools.NAMESPACES)).forEach(this::emptyNamespaceIsGone);
        new PodExpectations(world, now, findings, pods, actual).check();
    }

    /** Nothing is Pending without a reason: people find it in the condition Bound. */
    private void waitingClaimSaysWhy(Claim claim) {
        boolean waits = claim.phase().equals("Pending") && !claim.isBeingDeleted();
        if (waits && !claim.isBindCompleted()) {
            String why = Conditions.find(claim.tree(), "Bound")
                    .map(condition -> condition.path("message").asText(""))
                    .orElse("");
            require(!why.isEmpty(), LIVENESS, () -> claim.key() + " waits and does not say for what: " + claim.tree());
        }
    }

    /** A claim and a volume that is nobody's and fits find each other, unless a Pod has to be there first. */
    private void claimThatFitsIsBound(Claim claim) {
        boolean open = claim.phase().equals("Pending")
                && !claim.isBeingDeleted()
                && !claim.isBindCompleted()
                && claim.selector().isEmpty()
                && claim.className().isPresent()
                && !waitsForConsumer(claim.className().get());
        if (!open) {
            return;
        }
        for (Volume volume : volumes) {
            if (isFree(volume) && fits(volume, claim)) {
                findings.report(LIVENESS, claim.key() + " waits, though " + volume.key() + " fits: " + claim.tree());
            }
        }
    }

    private boolean waitsForConsumer(String className) {
        return !className.isEmpty()
                && world.get(StorageClass.key(className))
                        .map(StorageClass::of)
                        .filter(StorageClass::waitsForConsumer)
                        .isPresent();
    }

    private boolean isFree(Volume volume) {
        return volume.phase().equals("Available")
                && volume.claimRef().isEmpty()
                && !volume.isBeingDeleted()
                && volume.nodeAffinity().isAny()
                && claims.stream().noneMatch(other -> other.volumeName().equals(volume.name()))
                && operations.stream().noneMatch(each -> each.volume().equals(volume.name()));
    }

    private static boolean fits(Volume volume, Claim claim) {
        return (claim.volumeName().isEmpty() || claim.volumeName().equals(volume.name()))
                && volume.className().equals(claim.className().orElse(""))
                && volume.mode() == claim.mode()
                && volume.attributesClass().equals(claim.attributesClass())
                && volume.accessModes().containsAll(claim.accessModes())
                && volume.capacity().orElse(Quantity.ZERO).compareTo(claim.request()) >= 0;
    }

    /** Only a Pod on a node, a mount or somebody's own finalizer keeps a claim that was deleted. */
    private void deletedClaimIsGone(Claim claim) {
        boolean held = others(claim, StorageNames.CLAIM_PROTECTION)
                || pods.stream()
                        .anyMatch(pod -> pod.isScheduled() && pod.claimKeys().contains(claim.key()))
                || actual.stream().anyMatch(each -> isOf(each, claim));
        require(
                !isLongDeleted(claim) || held,
                LIVENESS,
                () -> claim.key() + " was deleted, nobody uses it, and it is still there: " + claim.tree());
    }

    private static boolean isOf(ActualVolume each, Claim claim) {
        JsonNode user = each.spec().path("claim");
        return user.path("uid").asText("").equals(claim.uid())
                || (!claim.volumeName().isEmpty() && each.persistentVolume().equals(claim.volumeName()))
                || (user.path("name").asText("").equals(claim.name())
                        && user.path("namespace").asText("").equals(claim.namespace()));
    }

    /** Somebody has taken the claim out of the volume, and the claim, now Lost, still has it. */
    private boolean isNamedByAClaim(Volume volume) {
        return world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .anyMatch(claim -> claim.volumeName().equals(volume.name()) && claim.isBindCompleted());
    }

    /** Only a claim, a node, data that is still to be deleted, or somebody's own finalizer keeps a volume that was deleted. */
    private void deletedVolumeIsGone(Volume volume) {
        boolean dataKeepsIt = volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER)
                && volume.reclaimPolicy().equals("Delete")
                && (volume.phase().equals("Failed")
                        || isWorkedOn(volume)
                        || isUsedByPods(volume)
                        || isOutOfReach(volume));
        boolean held = others(volume, StorageNames.VOLUME_PROTECTION, StorageNames.VOLUME_CONTROLLER)
                || volume.phase().equals("Bound")
                || dataKeepsIt
                || isNamedByAClaim(volume)
                || actual.stream().anyMatch(each -> each.persistentVolume().equals(volume.name()))
                || world.stream(Scope.resource(StorageNames.ATTACHMENTS))
                        .anyMatch(each -> VolumeOperation.of(each)
                                .spec()
                                .path("source")
                                .path("persistentVolumeName")
                                .asText("")
                                .equals(volume.name()));
        require(
                !isLongDeleted(volume) || held,
                LIVENESS,
                () -> volume.key() + " was deleted, nobody has it, and it is still there: " + volume.tree());
    }

    private boolean isWorkedOn(Volume volume) {
        return operations.stream().anyMatch(each -> each.volumeUid().equals(volume.uid()));
    }

    /** Pods keep the data of a claim that was taken from them by force. */
    private boolean isUsedByPods(Volume volume) {
        Optional<ObjectKey> claim = volume.claimRef().map(ClaimRef::key);
        return claim.isPresent()
                && pods.stream().anyMatch(pod -> pod.claimKeys().contains(claim.get()));
    }

    /** No node that works can do anything about its data. */
    private boolean isOutOfReach(Volume volume) {
        return world.stream(Scope.resource(Pools.NODES))
                .map(Node::of)
                .noneMatch(
                        node -> !node.isKnownNotReady() && volume.nodeAffinity().matches(node));
    }

    /** Work ends: it is done and its operation gone, or it has failed and will be tried again at a time that is not over. */
    private void workIsDone(VolumeOperation operation) {
        Optional<Node> node = world.get(Node.key(operation.node())).map(Node::of);
        if (node.isEmpty() || node.get().isKnownNotReady()) {
            return; // its node is away, and the work may be possible only there
        }
        boolean late =
                operation.nextTry().filter(due -> due.isBefore(now.minus(LONG))).isPresent();
        boolean failing = operation.hasFailed() && !operation.error().isEmpty() && !late;
        require(failing, LIVENESS, () -> operation.key() + " is left over: " + operation.tree());
    }

    /** A namespace goes when nothing is left in it. */
    private void emptyNamespaceIsGone(StoredObject object) {
        Pod namespace = Pod.of(object); // of all views it only takes what all objects have
        if (!isLongDeleted(namespace) || others(namespace)) {
            return;
        }
        for (StoredObject each : world.list(Scope.all())) {
            if (each.key().namespace().filter(object.key().name()::equals).isPresent()) {
                return;
            }
        }
        findings.report(LIVENESS, object.key() + " was deleted, nothing is in it, and it is still there");
    }

    private boolean isLongDeleted(View view) {
        return isLongDeleted(view, now);
    }

    /** Since when it is to be gone, its Pod's time included, is long ago. */
    static boolean isLongDeleted(View view, Instant now) {
        JsonNode since = view.metadata().path("deletionTimestamp");
        return since.isTextual() && Instant.parse(since.textValue()).plus(LONG).isBefore(now);
    }

    /** Whether a finalizer holds it that is none of these. */
    static boolean others(View view, String... ours) {
        for (JsonNode each : view.metadata().path("finalizers")) {
            if (!List.of(ours).contains(each.asText(""))) {
                return true;
            }
        }
        return false;
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            findings.report(invariant, otherwise.get());
        }
    }
}
