package dev.mooring.node.volumemanager;

import dev.mooring.model.view.PodReference;
import java.util.Optional;

/**
 * An operation to start now.
 *
 * @param pod the Pod it is for, if it is per Pod
 * @param reason human-readable
 */
public record PlannedOperation(Operation operation, Optional<PodReference> pod, String reason) {
    @Override
    public String toString() {
        String target =
                pod.map(each -> " for " + each.namespace() + '/' + each.name()).orElse("");
        return operation.text() + target + ": " + reason;
    }
}
