package dev.mooring.node.reconcile;

import dev.mooring.model.view.PodOf;
import java.util.Optional;

/**
 * Something that is to be done to a volume now.
 *
 * @param pod for whom, if it is for one
 * @param reason why, for people
 */
public record Step(Operation operation, Optional<PodOf> pod, String reason) {
    @Override
    public String toString() {
        String whom =
                pod.map(each -> " for " + each.namespace() + '/' + each.name()).orElse("");
        return operation.text() + whom + ": " + reason;
    }
}
