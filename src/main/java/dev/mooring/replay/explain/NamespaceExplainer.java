package dev.mooring.replay.explain;

import dev.mooring.control.lifecycle.NamespaceController;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Explains Namespaces: which objects a terminating one waits for, in the order of the namespace controller. */
final class NamespaceExplainer implements ResourceExplainer {
    private static final int MAX_LISTED = 10;

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        if (!GenericExplainer.isTerminating(object)) {
            return new GenericExplainer().explain(object, context);
        }
        List<Finding> findings = new ArrayList<>();
        GenericExplainer.deletionRequest(object, context).ifPresent(findings::add);
        int more = 0;
        for (StoredObject each :
                NamespaceController.remaining(context.world(), object.key().name())) {
            if (findings.size() >= MAX_LISTED) {
                more++;
            } else {
                findings.add(remaining(each, context));
            }
        }
        if (more > 0) {
            findings.add(Finding.waiting(more + " more objects remain.").build());
        }
        findings.addAll(GenericExplainer.finalizers(object, Set.of()));
        return new Explained(
                GenericExplainer.TERMINATING,
                Finding.waiting(ObjectRef.of(object) + " is Terminating.")
                        .about(object)
                        .because(findings)
                        .build());
    }

    private static Finding remaining(StoredObject object, ExplainContext context) {
        return context.explain(object.key())
                .filter(each -> GenericExplainer.isTerminating(object))
                .orElseGet(() -> Finding.waiting(ObjectRef.of(object) + " remains and is about to be deleted.")
                        .about(object)
                        .build());
    }
}
