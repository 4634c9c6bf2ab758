package dev.mooring.sim.check;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import java.util.Optional;

/**
 * Checks exclusive access (I6): ReadWriteOncePod allows one Pod, ReadWriteOnce one node. Evaluated when the scheduler
 * assigns a node to a Pod and when a node begins to mount a volume.
 */
final class ExclusionChecks {
    static final String SCHEDULED = "PodScheduled";
    static final String MOUNTING = "VolumeMounting";

    private static final String I6 = "I6";
    private static final Scope ACTUAL = Scope.resource(StorageNames.ACTUAL_VOLUMES);
    private static final Scope DESIRED = Scope.resource(StorageNames.DESIRED_VOLUMES);

    private final ViewCache views;
    private final PodArrivals arrivals;

    ExclusionChecks(ViewCache views, PodArrivals arrivals) {
        this.views = views;
        this.arrivals = arrivals;
    }

    void check(CheckedChange step) {
        if (step.isByUser()) {
            return;
        }
        if (step.event().type().equals(SCHEDULED)) {
            step.is(Pod.class).ifPresent(pod -> scheduled(step, pod));
        } else if (step.event().type().equals(MOUNTING)) {
            step.is(ActualVolume.class).ifPresent(is -> mounting(step, is));
        }
    }

    private void scheduled(CheckedChange step, Pod pod) {
        long decided = step.was().map(View::revision).orElse(0L);
        for (ObjectKey key : pod.claimKeys()) {
            Optional<Claim> claim = views.get(step.before(), key, Claim.class)
                    .filter(found -> !found.accessModes().allowsManyNodes());
            if (claim.isPresent()) {
                checkOtherPods(
                        step, pod, claim.get(), Math.max(decided, claim.get().revision()));
            }
        }
    }

    /**
     * Checks the other Pods that use the claim. Pods placed by the scheduler always count; a Pod placed by a user may
     * have arrived after the decision.
     *
     * @param decided lower bound for the revision of the World that the decision was based on
     */
    private void checkOtherPods(CheckedChange step, Pod pod, Claim claim, long decided) {
        Scope namespace = Scope.namespace(ViewCache.PODS, pod.namespace());
        for (Pod other : views.list(step.before(), namespace, Pod.class)) {
            boolean has = !other.key().equals(pod.key())
                    && other.isScheduled()
                    && !other.isFinished()
                    && other.claimKeys().contains(claim.key())
                    && (arrivals.isChosen(other) || arrivals.of(other) <= decided);
            boolean shared =
                    !claim.accessModes().isOncePod() && other.nodeName().equals(pod.nodeName());
            step.require(
                    !has || shared || isOnSameNodeAsAnother(step, pod, claim, other),
                    I6,
                    () -> other.key() + " on " + other.nodeName() + " has " + claim.key() + " of "
                            + claim.accessModes());
        }
    }

    /** If users have placed Pods on several nodes, the scheduler may follow any of them. */
    private boolean isOnSameNodeAsAnother(CheckedChange step, Pod pod, Claim claim, Pod not) {
        Scope namespace = Scope.namespace(ViewCache.PODS, pod.namespace());
        return !claim.accessModes().isOncePod()
                && views.list(step.before(), namespace, Pod.class).stream()
                        .anyMatch(each -> !each.key().equals(pod.key())
                                && !each.key().equals(not.key())
                                && each.nodeName().equals(pod.nodeName())
                                && !each.isFinished()
                                && each.claimKeys().contains(claim.key()));
    }

    private void mounting(CheckedChange step, ActualVolume is) {
        Optional<ActualVolume> was = step.was(ActualVolume.class);
        for (ActualVolume.Mount mount : is.mounts()) {
            String pod = mount.pod().uid();
            boolean begins = mount.state().equals(ActualVolume.MOUNTING)
                    && was.flatMap(each -> each.mountFor(pod))
                            .filter(each -> each.state().equals(ActualVolume.MOUNTING))
                            .isEmpty();
            if (begins) {
                views.list(step.before(), DESIRED, DesiredVolume.class).stream()
                        .filter(each -> each.pod().uid().equals(pod)
                                && each.persistentVolume().equals(is.persistentVolume())
                                && !each.persistentVolume().isEmpty()
                                && !each.accessModes().allowsManyNodes())
                        .findFirst()
                        .ifPresent(each -> checkExclusive(step, is, each));
            }
        }
    }

    private void checkExclusive(CheckedChange step, ActualVolume is, DesiredVolume desired) {
        for (ActualVolume other : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            if (!other.persistentVolume().equals(is.persistentVolume()) || !UseChecks.holds(other)) {
                continue;
            }
            step.require(
                    other.node().equals(is.node()),
                    I6,
                    () -> "it is mounted on " + is.node() + ", although " + other.node() + " has it: " + other.tree());
            for (ActualVolume.Mount mount : other.mounts()) {
                step.require(
                        !desired.accessModes().isOncePod()
                                || mount.pod().uid().equals(desired.pod().uid()),
                        I6,
                        () -> "it is mounted for " + desired.pod() + ", although " + mount.pod() + " has it");
            }
        }
    }
}
