package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.PodReference;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The operations for one volume, in order, and the operations that wait. A value that can be printed and compared.
 *
 * @param operations to start now
 * @param waiting delayed operations, with the reason
 * @param next when to plan again without changes
 * @param disposition whether the ActualVolume is kept
 */
public record VolumePlan(
        List<PlannedOperation> operations,
        List<WaitingOperation> waiting,
        Optional<Instant> next,
        Disposition disposition) {
    /**
     * An operation that cannot start now.
     *
     * @param pod the Pod it is for, if it is per Pod
     * @param reason human-readable
     * @param blocker the object that has to change first; empty if it is not a single one
     * @param retryAt when it is tried again after failures
     */
    public record WaitingOperation(
            Operation operation,
            Optional<PodReference> pod,
            String reason,
            Optional<ObjectKey> blocker,
            Optional<Instant> retryAt) {
        @Override
        public String toString() {
            return new PlannedOperation(operation, pod, reason).toString();
        }
    }

    /** Whether the ActualVolume is kept or removed. */
    public enum Disposition {
        KEEP,
        REMOVE
    }

    public VolumePlan {
        operations = List.copyOf(operations);
        waiting = List.copyOf(waiting);
    }

    /** Returns one line per operation, for tests and logs. */
    public String text() {
        StringBuilder text = new StringBuilder();
        operations.forEach(each -> text.append(each).append('\n'));
        waiting.forEach(each -> text.append("waits: ").append(each).append('\n'));
        next.ifPresent(each -> text.append("next check at ").append(each).append('\n'));
        if (disposition == Disposition.REMOVE) {
            text.append("remove: nothing is left on the node\n");
        }
        return text.toString();
    }
}
