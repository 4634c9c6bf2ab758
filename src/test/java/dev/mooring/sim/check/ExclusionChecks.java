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
 * ReadWriteOncePod is for one Pod, ReadWriteOnce for one node (I6): asked when the scheduler gives a Pod a node, and when a node begins to mount a
 * volume for a Pod.
 */
final class ExclusionChecks {
    static final String SCHEDULED = "PodScheduled";
    static final String MOUNTING = "VolumeMounting";

    private static final String I6 = "I6";
    private static final Scope ACTUAL = Scope.resource(StorageNames.ACTUAL_VOLUMES);
    private static final Scope DESIRED = Scope.resource(StorageNames.DESIRED_VOLUMES);

    private final Views views;
    private final Arrivals arrivals;

    ExclusionChecks(Views views, Arrivals arrivals) {
        this.views = views;
        this.arrivals = arrivals;
    }

    void look(Step step) {
        if (step.isByUser()) {
            return;
        }
        if (step.event().type().equals(SCHEDULED)) {
            step.is(Pod.class).ifPresent(pod -> scheduled(step, pod));
        } else if (step.event().type().equals(MOUNTING)) {
            step.is(ActualVolume.class).ifPresent(is -> mounting(step, is));
        }
    }

    private void scheduled(Step step, Pod pod) {
        long decided = step.was().map(View::revision).orElse(0L);
        for (ObjectKey key : pod.claimKeys()) {
            Optional<Claim> claim = views.get(step.before(), key, Claim.class)
                    .filter(found -> !found.accessModes().allowsManyNodes());
            if (claim.isPresent()) {
                others(step, pod, claim.get(), Math.max(decided, claim.get().revision()));
            }
        }
    }

    /**
     * A Pod that the scheduler has sent somewhere counts always. One that a user has put on a node may have come after the decision.
     *
     * @param decided the decision was made upon a World of this revision or a later one
     */
    private void others(Step step, Pod pod, Claim claim, long decided) {
        Scope neighbours = Scope.namespace(Views.PODS, pod.namespace());
        for (Pod other : views.list(step.before(), neighbours, Pod.class)) {
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

    /** If users have put Pods on several nodes already, the scheduler may follow any of them. */
    private boolean isOnSameNodeAsAnother(Step step, Pod pod, Claim claim, Pod not) {
        Scope neighbours = Scope.namespace(Views.PODS, pod.namespace());
        return !claim.accessModes().isOncePod()
                && views.list(step.before(), neighbours, Pod.class).stream()
                        .anyMatch(each -> !each.key().equals(pod.key())
                                && !each.key().equals(not.key())
                                && each.nodeName().equals(pod.nodeName())
                                && !each.isFinished()
                                && each.claimKeys().contains(claim.key()));
    }

    private void mounting(Step step, ActualVolume is) {
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
                        .ifPresent(each -> alone(step, is, each));
            }
        }
    }

    private void alone(Step step, ActualVolume is, DesiredVolume desired) {
        for (ActualVolume other : views.list(step.before(), ACTUAL, ActualVolume.class)) {
            if (!other.persistentVolume().equals(is.persistentVolume()) || !UseChecks.holds(other)) {
                continue;
            }
            step.require(
                    other.node().equals(is.node()),
                    I6,
                    () -> "it is mounted on " + is.node() + ", though " + other.node() + " has it: " + other.tree());
            for (ActualVolume.Mount mount : other.mounts()) {
                step.require(
                        !desired.accessModes().isOncePod()
                                || mount.pod().uid().equals(desired.pod().uid()),
                        I6,
                        () -> "it is mounted for " + desired.pod() + ", though " + mount.pod() + " has it");
            }
        }
    }
}
