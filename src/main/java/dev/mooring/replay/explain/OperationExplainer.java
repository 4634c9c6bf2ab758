package dev.mooring.replay.explain;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.replay.explain.Explanation.Finding;
import java.util.Locale;
import java.util.Optional;

/** Explains VolumeOperations: their progress, the last error and the next attempt. */
final class OperationExplainer implements ResourceExplainer {
    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        VolumeOperation operation = VolumeOperation.of(object);
        return new Explained(operation.state(), finding(operation, context));
    }

    static Finding finding(VolumeOperation operation, ExplainContext context) {
        String type = operation.operationType().map(Object::toString).orElse("work");
        String work =
                "Operation " + type + " of PersistentVolume " + operation.volume() + " on node " + operation.node();
        Optional<Finding> node =
                operation.hasSucceeded() ? Optional.empty() : NodeFindings.notReady(operation.node(), context);
        Finding.Builder finding = builder(operation, work, node.isPresent());
        node.ifPresent(finding::because);
        return finding.about(operation.stored())
                .reason(operation.errorReason())
                .attempt(operation.attempts())
                .retryAt(operation.nextTry().filter(unused -> !operation.hasSucceeded()))
                .build();
    }

    private static Finding.Builder builder(VolumeOperation operation, String work, boolean hasNoNode) {
        if (operation.hasSucceeded()) {
            return Finding.waiting(work + " succeeded; the controller is about to process the result.");
        }
        String error = operation.error().isEmpty() ? operation.errorReason() : operation.error();
        boolean hasError = operation.hasFailed() || !error.isEmpty();
        String text = work
                + (hasError
                        ? " failed: " + ClaimExplainer.sentence(error)
                        : " is " + operation.state().toLowerCase(Locale.ROOT) + '.');
        Finding.Builder finding = hasError || hasNoNode ? Finding.failed(text) : Finding.waiting(text);
        if (hasError) {
            finding.next(
                    "Read the error as the node reported it.", Commands.kubectl("get", operation.key(), "-o", "yaml"));
            NodeFindings.key(operation.node())
                    .ifPresent(key -> finding.next("Read the Events of the node.", Commands.kubectl("describe", key)));
        }
        return finding;
    }
}
