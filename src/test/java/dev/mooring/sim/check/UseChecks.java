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
import dev.mooring.model.view.VolumeOperation.Work;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Nothing is taken away while somebody uses it (I4). Users may take away anything by force; Mooring may not.
 *
 * <p>Whoever decides upon an object has seen a World at least as new as that object: so what used it since before its last change was to be seen.
 * What came later may have come too late to be seen, and is left out where nothing else rules that out.
 */
final class UseChecks {
    private static final String I4 = "I4";
    private static final Scope PODS = Scope.resource(Views.PODS);
    private static final Scope ACTUAL = Scope.resource(StorageNames.ACTUAL_VOLUMES);
    private static final Scope ATTACHMENTS = Scope.resource(StorageNames.ATTACHMENTS);

    private final Views views;
    private final Arrivals arrivals;

    /** Pods that used a claim when it went, by the claim's uid: such a claim was taken away by force. */
    private final Map<String, Set<String>> leftBehind = new HashMap<>();

    UseChecks(Views views, Arrivals arrivals) {
        this.views = views;
        this.arrivals = arrivals;
    }

    void look(Step step) {
        step.was(Claim.class).ifPresent(was -> claim(step, was));
        step.was(Volume.class).ifPresent(was -> volume(step, was));
        step.is(VolumeOperation.class).ifPresent(is -> operation(step, is));
        step.was(ActualVolume.class).ifPresent(was -> actual(step, was));
        step.was(DesiredVolume.class).ifPresent(was -> desired(step, was));
    }

    /** A claim that is protected stays while a Pod on a node uses it. */
    private void claim(Step step, Claim was) {
        boolean gone = step.is().isEmpty();
        boolean freed = gone
                || step.is(Claim.class)
                        .filter(is -> is.hasFinalizer(StorageNames.CLAIM_PROTECTION))
                        .isEmpty();
        if (!freed) {
            return;
        }
        boolean asked = !step.isByUser() && was.hasFinalizer(StorageNames.CLAIM_PROTECTION);
        Set<String> users = new TreeSet<>();
        Scope neighbours = Scope.namespace(Views.PODS, was.namespace());
        for (Pod pod : views.list(step.before(), neighbours, Pod.class)) {
            if (pod.isScheduled() && uses(pod, was)) {
                users.add(pod.uid());
                boolean seen = arrivals.of(pod) <= was.revision();
                step.require(
                        !asked || !seen || pod.isFinished(),
                        I4,
                        () -> "it is protected no more, though " + pod.key() + " uses it");
            }
        }
        if (gone) {
            leftBehind.put(was.uid(), users);
        }
    }

    /** By name. What was made for a volume of the Pod's own goes with the Pod. */
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

    /** A volume that is protected stays while a claim or a node has it. */
    private void volume(Step step, Volume was) {
        boolean freed = step.is(Volume.class)
                .filter(is -> is.hasFinalizer(StorageNames.VOLUME_PROTECTION))
                .isEmpty();
        if (step.isByUser() || !freed || !was.hasFinalizer(StorageNames.VOLUME_PROTECTION)) {
            return;
        }
        step.require(!was.phase().equals("Bound"), I4, () -> "it is protected no more, though it is Bound");
        for (ActualVolume each : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            boolean has =
                    each.persistentVolume().equals(was.name()) && holds(each) && each.revision() <= was.revision();
            step.require(
                    !has, I4, () -> "it is protected no more, though node " + each.node() + " has it: " + each.tree());
        }
    }

    /** A volume that a node failed to mount, and has nothing of, is not used. */
    static boolean holds(ActualVolume volume) {
        boolean nothing = volume.mounts().isEmpty()
                && volume.devicePath().isEmpty()
                && volume.deviceMountPath().isEmpty();
        return !nothing || !volume.state().equals(ActualVolume.FAILED);
    }

    /** Data is deleted or emptied only when nobody is left. Asked when it is decided, and when it begins. */
    private void operation(Step step, VolumeOperation is) {
        Optional<VolumeOperation> was = step.was(VolumeOperation.class);
        boolean destroys =
                is.work().equals(Optional.of(Work.DELETE)) || is.work().equals(Optional.of(Work.SCRUB));
        boolean decided = was.isEmpty() || !was.get().work().equals(is.work());
        boolean begun = is.state().equals(VolumeOperation.RUNNING)
                && !was.map(VolumeOperation::state).orElse("").equals(VolumeOperation.RUNNING);
        if (!destroys || !(decided || begun)) {
            return;
        }
        Optional<Volume> volume = views.volume(step.before(), is.volume())
                .filter(each -> each.uid().equals(is.volumeUid()));
        volume.flatMap(Volume::claimRef).ifPresent(ref -> nobodyLeft(step, is, ref));
        noNodeLeft(step, is);
    }

    private void nobodyLeft(Step step, VolumeOperation operation, ClaimRef ref) {
        boolean there = views.get(step.before(), ref.key(), Claim.class)
                .filter(each -> each.uid().equals(ref.uid())
                        && (each.volumeName().isEmpty() || each.volumeName().equals(operation.volume())))
                .isPresent();
        step.require(!there, I4, () -> "though claim " + ref + " is still there");
        Set<String> users = leftBehind.getOrDefault(ref.uid(), Set.of());
        if (!users.isEmpty()) {
            for (Pod pod : views.list(step.before(), PODS, Pod.class)) {
                step.require(
                        !users.contains(pod.uid()) || pod.isFinished(),
                        I4,
                        () -> "though " + pod.key() + " still uses it");
            }
        }
    }

    private void noNodeLeft(Step step, VolumeOperation operation) {
        for (ActualVolume each : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            step.require(
                    !each.persistentVolume().equals(operation.volume())
                            || !holds(each)
                            || isAnother(step, each, operation),
                    I4,
                    () -> "though " + each.key() + " is there: " + each.tree());
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
                        () -> "though " + each.key() + " is there"));
    }

    /** What was made for a claim that went is removed under the name of a volume that never came to be; another may have the name. */
    private boolean isAnother(Step step, ActualVolume each, VolumeOperation operation) {
        return views.volume(step.before(), each.persistentVolume())
                .filter(volume -> !volume.uid().equals(operation.volumeUid()))
                .isPresent();
    }

    /** What is mounted is unmounted before it is forgotten, unless a user wants it to be. */
    private static void actual(Step step, ActualVolume was) {
        if (step.is().isEmpty() && !step.isByUser() && !was.isBeingDeleted()) {
            for (ActualVolume.Mount mount : was.mounts()) {
                step.require(
                        !mount.isMounted(), I4, () -> "it was mounted for " + mount.pod() + " when it was forgotten");
            }
        }
    }

    /** What a Pod on the node needs stays desired until the Pod ends, unless a user wants it away. */
    private void desired(Step step, DesiredVolume was) {
        if (step.is().isEmpty() && !step.isByUser() && !was.isBeingDeleted()) {
            List<Pod> pods = views.list(
                    step.before(), Scope.namespace(Views.PODS, was.pod().namespace()), Pod.class);
            for (Pod pod : pods) {
                boolean needs = pod.uid().equals(was.pod().uid())
                        && pod.nodeName().equals(was.node())
                        && !pod.isFinished()
                        && !pod.isBeingDeleted();
                step.require(!needs, I4, () -> "it is desired no more, though " + pod.key() + " needs it");
            }
        }
    }
}
