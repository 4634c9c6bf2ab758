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
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Checks convergence after faults have ended (I7): everything possible is done, and everything else states a reason.
 * {@link PodLivenessChecks} has the checks for Pods and nodes.
 */
final class LivenessChecks {
    static final String LIVENESS = "I7";

    /** Longer than any retry delay. */
    static final Duration LONG = Duration.ofMinutes(6);

    private final World world;
    private final Instant now;
    private final InvariantViolations violations;
    private final List<Claim> claims = new ArrayList<>();
    private final List<Volume> volumes = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<ActualVolume> actual = new ArrayList<>();
    private final List<VolumeOperation> operations = new ArrayList<>();

    LivenessChecks(World world, Instant now, InvariantViolations violations) {
        this.world = world;
        this.now = now;
        this.violations = violations;
        world.list(Scope.resource(NamePools.CLAIMS)).forEach(each -> claims.add(Claim.of(each)));
        world.list(Scope.resource(NamePools.VOLUMES)).forEach(each -> volumes.add(Volume.of(each)));
        world.list(Scope.resource(NamePools.PODS)).forEach(each -> pods.add(Pod.of(each)));
        world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES)).forEach(each -> actual.add(ActualVolume.of(each)));
        world.list(Scope.resource(StorageNames.OPERATIONS)).forEach(each -> operations.add(VolumeOperation.of(each)));
    }

    void check() {
        claims.forEach(this::pendingClaimStatesReason);
        claims.forEach(this::matchingClaimIsBound);
        claims.forEach(this::deletedClaimIsGone);
        volumes.forEach(this::deletedVolumeIsGone);
        operations.forEach(this::operationIsFinished);
        world.list(Scope.resource(NamePools.NAMESPACES)).forEach(this::emptyNamespaceIsGone);
        new PodLivenessChecks(world, now, violations, pods, actual).check();
    }

    /** A Pending claim states a reason in its condition Bound. */
    private void pendingClaimStatesReason(Claim claim) {
        boolean pending = claim.phase().equals("Pending") && !claim.isBeingDeleted();
        if (pending && !claim.isBindCompleted()) {
            String reason = Conditions.find(claim.tree(), "Bound")
                    .map(condition -> condition.path("message").asText(""))
                    .orElse("");
            require(!reason.isEmpty(), LIVENESS, () -> claim.key() + " is Pending without a reason: " + claim.tree());
        }
    }

    /** A claim and a matching free volume are bound, unless the claim waits for a Pod. */
    private void matchingClaimIsBound(Claim claim) {
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
                violations.report(
                        LIVENESS, claim.key() + " is Pending, although " + volume.key() + " fits: " + claim.tree());
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

    /** Only a scheduled Pod, a mount or a foreign finalizer keeps a deleted claim. */
    private void deletedClaimIsGone(Claim claim) {
        boolean held = hasOtherFinalizers(claim, StorageNames.CLAIM_PROTECTION)
                || pods.stream()
                        .anyMatch(pod -> pod.isScheduled() && pod.claimKeys().contains(claim.key()))
                || actual.stream().anyMatch(each -> isOf(each, claim));
        require(
                !isLongDeleted(claim) || held,
                LIVENESS,
                () -> claim.key() + " was deleted and is unused, but still exists: " + claim.tree());
    }

    private static boolean isOf(ActualVolume each, Claim claim) {
        JsonNode user = each.spec().path("claim");
        return user.path("uid").asText("").equals(claim.uid())
                || (!claim.volumeName().isEmpty() && each.persistentVolume().equals(claim.volumeName()))
                || (user.path("name").asText("").equals(claim.name())
                        && user.path("namespace").asText("").equals(claim.namespace()));
    }

    /** Returns whether a claim still names the volume, such as a Lost claim after a user removed the claimRef. */
    private boolean isNamedByClaim(Volume volume) {
        return world.stream(Scope.resource(StorageNames.CLAIMS))
                .map(Claim::of)
                .anyMatch(claim -> claim.volumeName().equals(volume.name()) && claim.isBindCompleted());
    }

    /** Only a claim, a node, pending deletion of data or a foreign finalizer keeps a deleted volume. */
    private void deletedVolumeIsGone(Volume volume) {
        boolean dataKeepsIt = volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER)
                && volume.reclaimPolicy().equals("Delete")
                && (volume.phase().equals("Failed")
                        || hasOperation(volume)
                        || isUsedByPods(volume)
                        || isUnreachable(volume));
        boolean held = hasOtherFinalizers(volume, StorageNames.VOLUME_PROTECTION, StorageNames.VOLUME_CONTROLLER)
                || volume.phase().equals("Bound")
                || dataKeepsIt
                || isNamedByClaim(volume)
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
                () -> volume.key() + " was deleted and has no users, but still exists: " + volume.tree());
    }

    private boolean hasOperation(Volume volume) {
        return operations.stream().anyMatch(each -> each.volumeUid().equals(volume.uid()));
    }

    /** Returns whether Pods still use the data, such as after a forced removal of the claim. */
    private boolean isUsedByPods(Volume volume) {
        Optional<ObjectKey> claim = volume.claimRef().map(ClaimRef::key);
        return claim.isPresent()
                && pods.stream().anyMatch(pod -> pod.claimKeys().contains(claim.get()));
    }

    /** Returns whether no ready node can reach the volume's data. */
    private boolean isUnreachable(Volume volume) {
        return world.stream(Scope.resource(NamePools.NODES))
                .map(Node::of)
                .noneMatch(
                        node -> !node.isKnownNotReady() && volume.nodeAffinity().matches(node));
    }

    /** An operation is removed after success, or has failed and will be retried. */
    private void operationIsFinished(VolumeOperation operation) {
        Optional<Node> node = world.get(Node.key(operation.node())).map(Node::of);
        if (node.isEmpty() || node.get().isKnownNotReady()) {
            return; // the node is not ready, and only it may be able to do the work
        }
        boolean late =
                operation.nextTry().filter(due -> due.isBefore(now.minus(LONG))).isPresent();
        boolean failing = operation.hasFailed() && !operation.error().isEmpty() && !late;
        require(failing, LIVENESS, () -> operation.key() + " is left over: " + operation.tree());
    }

    /** A deleted namespace is removed when it is empty. */
    private void emptyNamespaceIsGone(StoredObject object) {
        Pod namespace = Pod.of(object); // read as a Pod, because only common fields are used
        if (!isLongDeleted(namespace) || hasOtherFinalizers(namespace)) {
            return;
        }
        for (StoredObject each : world.list(Scope.all())) {
            if (each.key().namespace().filter(object.key().name()::equals).isPresent()) {
                return;
            }
        }
        violations.report(LIVENESS, object.key() + " was deleted and is empty, but still exists");
    }

    private boolean isLongDeleted(View view) {
        return isLongDeleted(view, now);
    }

    /** Returns whether the deletion, including a Pod's grace period, is long overdue. */
    static boolean isLongDeleted(View view, Instant now) {
        JsonNode since = view.metadata().path("deletionTimestamp");
        return since.isTextual() && Instant.parse(since.textValue()).plus(LONG).isBefore(now);
    }

    /** Returns whether it has a finalizer other than these. */
    static boolean hasOtherFinalizers(View view, String... ours) {
        for (JsonNode each : view.metadata().path("finalizers")) {
            if (!List.of(ours).contains(each.asText(""))) {
                return true;
            }
        }
        return false;
    }

    private void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            violations.report(invariant, message.get());
        }
    }
}
