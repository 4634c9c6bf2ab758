package dev.mooring.sim.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks that nothing in use is removed (I4). Users may remove anything by force; Mooring may not.
 *
 * <p>A decision about an object is based on a World at least as new as the object, so users of the object from before
 * its last change were visible. Later users may have been invisible and are not counted unless another rule excludes
 * that.
 */
final class UseChecks {
    private static final String I4 = "I4";
    private static final Scope PODS = Scope.resource(ViewCache.PODS);
    private static final Scope ACTUAL = Scope.resource(StorageNames.ACTUAL_VOLUMES);
    private static final Scope ATTACHMENTS = Scope.resource(StorageNames.ATTACHMENTS);

    private final ViewCache views;
    private final PodArrivals arrivals;

    /** Pods that used a claim when a user removed it by force, by uid of the claim. */
    private final Map<String, Set<String>> usersOfRemovedClaims = new HashMap<>();

    UseChecks(ViewCache views, PodArrivals arrivals) {
        this.views = views;
        this.arrivals = arrivals;
    }

    void check(CheckedChange step) {
        step.was(Claim.class).ifPresent(was -> claim(step, was));
        step.was(Volume.class).ifPresent(was -> volume(step, was));
        step.is(VolumeOperation.class).ifPresent(is -> operation(step, is));
        step.was(ActualVolume.class).ifPresent(was -> actual(step, was));
        step.was(DesiredVolume.class).ifPresent(was -> desired(step, was));
    }

    /** A protected claim stays while a scheduled Pod uses it. */
    private void claim(CheckedChange step, Claim was) {
        boolean removed = step.is().isEmpty();
        boolean unprotected = removed
                || step.is(Claim.class)
                        .filter(is -> is.hasFinalizer(StorageNames.CLAIM_PROTECTION))
                        .isEmpty();
        if (!unprotected) {
            return;
        }
        boolean checked = !step.isByUser() && was.hasFinalizer(StorageNames.CLAIM_PROTECTION);
        Set<String> users = new TreeSet<>();
        Scope namespace = Scope.namespace(ViewCache.PODS, was.namespace());
        for (Pod pod : views.list(step.before(), namespace, Pod.class)) {
            if (pod.isScheduled() && uses(pod, was)) {
                users.add(pod.uid());
                boolean seen = arrivals.of(pod) <= was.revision();
                step.require(
                        !checked || !seen || pod.isFinished(),
                        I4,
                        () -> "its protection was removed, although " + pod.key() + " uses it");
            }
        }
        if (removed) {
            usersOfRemovedClaims.put(was.uid(), users);
        }
    }

    /** Compares claims by name. Claims of ephemeral volumes are removed with the Pod and do not count. */
    private static boolean uses(Pod pod, Claim claim) {
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (volume.path("persistentVolumeClaim")
                    .path("claimName")
                    .asText("")
                    .equals(claim.name())) {
                return true;
            }
        }
        return false;
    }

    /** A protected volume stays while a claim or a node uses it. */
    private void volume(CheckedChange step, Volume was) {
        boolean unprotected = step.is(Volume.class)
                .filter(is -> is.hasFinalizer(StorageNames.VOLUME_PROTECTION))
                .isEmpty();
        if (step.isByUser() || !unprotected || !was.hasFinalizer(StorageNames.VOLUME_PROTECTION)) {
            return;
        }
        step.require(!was.phase().equals("Bound"), I4, () -> "its protection was removed, although it is Bound");
        for (ActualVolume each : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            boolean has =
                    each.persistentVolume().equals(was.name()) && holds(each) && each.revision() <= was.revision();
            step.require(
                    !has,
                    I4,
                    () -> "its protection was removed, although node " + each.node() + " has it: " + each.tree());
        }
    }

    /** Returns whether the node holds the volume; one that it failed to mount and has no part of does not count. */
    static boolean holds(ActualVolume volume) {
        boolean nothing = volume.mounts().isEmpty()
                && volume.devicePath().isEmpty()
                && volume.deviceMountPath().isEmpty();
        return !nothing || !volume.state().equals(ActualVolume.FAILED);
    }

    /** Data is deleted or scrubbed only without users. Checked when it is decided and when it begins. */
    private void operation(CheckedChange step, VolumeOperation is) {
        Optional<VolumeOperation> was = step.was(VolumeOperation.class);
        boolean destroys = is.operationType().equals(Optional.of(OperationType.DELETE))
                || is.operationType().equals(Optional.of(OperationType.SCRUB));
        boolean decided = was.isEmpty() || !was.get().operationType().equals(is.operationType());
        boolean begun = is.state().equals(VolumeOperation.RUNNING)
                && !was.map(VolumeOperation::state).orElse("").equals(VolumeOperation.RUNNING);
        if (!destroys || !(decided || begun)) {
            return;
        }
        Optional<Volume> volume = views.volume(step.before(), is.volume())
                .filter(each -> each.uid().equals(is.volumeUid()));
        volume.flatMap(Volume::claimRef).ifPresent(ref -> requireNoUsers(step, is, ref));
        requireNoNodes(step, is);
    }

    private void requireNoUsers(CheckedChange step, VolumeOperation operation, ClaimRef ref) {
        boolean exists = views.get(step.before(), ref.key(), Claim.class)
                .filter(each -> each.uid().equals(ref.uid())
                        && (each.volumeName().isEmpty() || each.volumeName().equals(operation.volume())))
                .isPresent();
        step.require(!exists, I4, () -> "although claim " + ref + " still exists");
        Set<String> users = usersOfRemovedClaims.getOrDefault(ref.uid(), Set.of());
        if (!users.isEmpty()) {
            for (Pod pod : views.list(step.before(), PODS, Pod.class)) {
                step.require(
                        !users.contains(pod.uid()) || pod.isFinished(),
                        I4,
                        () -> "although " + pod.key() + " still uses it");
            }
        }
    }

    private void requireNoNodes(CheckedChange step, VolumeOperation operation) {
        for (ActualVolume each : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            step.require(
                    !each.persistentVolume().equals(operation.volume())
                            || !holds(each)
                            || isAnother(step, each, operation),
                    I4,
                    () -> "although " + each.key() + " exists: " + each.tree());
        }
        step.before()
                .list(ATTACHMENTS)
                .forEach(each -> step.require(
                        !views.of(each)
                                .spec()
                                .path("source")
                                .path("persistentVolumeName")
                                .asText("")
                                .equals(operation.volume()),
                        I4,
                        () -> "although " + each.key() + " exists"));
    }

    /**
     * Returns whether the name now belongs to another volume: data of a deleted claim may be removed under the name of
     * a volume that was never created.
     */
    private boolean isAnother(CheckedChange step, ActualVolume each, VolumeOperation operation) {
        return views.volume(step.before(), each.persistentVolume())
                .filter(volume -> !volume.uid().equals(operation.volumeUid()))
                .isPresent();
    }

    /** A mounted volume is unmounted before its ActualVolume is removed, unless a user deletes it. */
    private static void actual(CheckedChange step, ActualVolume was) {
        if (step.is().isEmpty() && !step.isByUser() && !was.isBeingDeleted()) {
            for (ActualVolume.Mount mount : was.mounts()) {
                step.require(!mount.isMounted(), I4, () -> "it was removed while mounted for " + mount.pod());
            }
        }
    }

    /** A volume stays desired until the Pod that needs it terminates, unless a user deletes the DesiredVolume. */
    private void desired(CheckedChange step, DesiredVolume was) {
        if (step.is().isEmpty() && !step.isByUser() && !was.isBeingDeleted()) {
            List<Pod> pods = views.list(
                    step.before(), Scope.namespace(ViewCache.PODS, was.pod().namespace()), Pod.class);
            for (Pod pod : pods) {
                boolean needs = pod.uid().equals(was.pod().uid())
                        && pod.nodeName().equals(was.node())
                        && !pod.isFinished()
                        && !pod.isBeingDeleted();
                step.require(!needs, I4, () -> "it was removed, although " + pod.key() + " needs it");
            }
        }
    }
}
