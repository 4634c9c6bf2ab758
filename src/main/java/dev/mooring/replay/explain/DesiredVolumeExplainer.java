package dev.mooring.replay.explain;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.List;
import java.util.Optional;

/** Explains a DesiredVolume: which Pod needs it, and why it is not mounted. Stateless. */
final class DesiredVolumeExplainer implements ResourceExplainer {
    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        DesiredVolume desired = DesiredVolume.of(object);
        Optional<Pod> pod = desired.pod()
                .key()
                .flatMap(context.world()::get)
                .map(Pod::of)
                .filter(each -> each.uid().equals(desired.pod().uid()));
        if (pod.isEmpty()) {
            Finding.Builder root = Finding.waiting(
                            ObjectRef.of(object) + " is obsolete: its Pod does not exist any more.")
                    .about(object);
            desired.pod().key().flatMap(context::deletionOf).ifPresent(deleted -> root.because(deleted.finding()));
            return new Explained("Obsolete", root.build());
        }
        List<Finding> causes = new VolumeFindings(context).causes(desired, pod.get());
        boolean isResolved = desired.isResolved();
        String state = !isResolved ? "Waiting" : causes.isEmpty() ? "Mounted" : "Resolved";
        String text = ObjectRef.of(object) + " is " + state + ": node " + desired.node() + " needs it for "
                + ObjectRef.of(pod.get().stored()) + '.';
        return new Explained(
                state, GenericExplainer.asSeriousAs(causes, text).about(object).build());
    }
}
