package dev.mooring.node.volumemanager;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.volumemanager.VolumeOperationController.RunVolumeOperation;
import dev.mooring.volume.work.ClaimIdentity;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Executes VolumeOperations in a {@link KeyedExecutor} and records their results. Anything a worker throws fails its
 * own operation only.
 *
 * <p>Operations are kept in memory only: those that were in progress when the process died are started again, which is
 * safe because all work is idempotent. If an operation is Running in the World when it is settled, the controller has
 * restarted it meanwhile, and it is executed again: no other event would trigger it.
 *
 * <p>Outlives the controller's verticle. Thread-safe.
 */
public final class WorkExecutor implements EffectExecutor, AutoCloseable {
    private final String node;
    private final WorkContext context;
    private final WorkLimits limits;
    private final Performer performer;
    private final WorkResultWriter reporter;
    private final KeyedExecutor executor;

    /**
     * Creates an executor.
     *
     * @param performer performs all kinds of work
     */
    public WorkExecutor(String node, Performer performer, WorkLimits limits, WorkContext context) {
        this.node = node;
        this.context = context;
        this.limits = limits;
        this.performer = performer;
        this.reporter = new WorkResultWriter(new OperationStatusUpdates("node/" + node), context);
        this.executor = limits.newExecutor(context);
    }

    /** Executes an operation that is Running in the World, unless it is pending. */
    @Override
    public void execute(Effect effect) {
        task(((RunVolumeOperation) effect).operation()).ifPresent(executor::submit);
    }

    /** Returns the number of operations that are queued, running, or whose result is being written. */
    int pendingOperations() {
        return executor.size();
    }

    /** Stops admission and interrupts running work; all of it stays Running for the next process. */
    @Override
    public void close() {
        reporter.close();
        executor.close();
    }

    private Optional<WorkTask> task(ObjectKey key) {
        return current(key).map(WorkTask::new);
    }

    /** Returns the operation if it is to be executed. */
    private Optional<VolumeOperation> current(ObjectKey key) {
        return context.world()
                .world()
                .get(key)
                .map(VolumeOperation::of)
                .filter(operation -> operation.node().equals(node)
                        && operation.state().equals(VolumeOperation.RUNNING)
                        && operation.operationType().isPresent());
    }

    private final class WorkTask extends KeyedExecutor.Task<WorkResult> {
        /** As of its acceptance or, later, its start. */
        private VolumeOperation operation;

        private WorkTask(VolumeOperation operation) {
            super(operation.key(), OperationWorkerPool.of(operation), operation.volume());
            this.operation = operation;
        }

        /** Reads the operation again. Returns false if it is gone, or belongs to another pool or volume now. */
        @Override
        protected boolean begin() {
            Optional<VolumeOperation> now = current(operation.key())
                    .filter(each -> each.volume().equals(operation.volume())
                            && OperationWorkerPool.of(each).equals(OperationWorkerPool.of(operation)));
            now.ifPresent(each -> operation = each);
            return now.isPresent();
        }

        @Override
        protected WorkResult run() throws InterruptedException {
            try {
                return new WorkResult.Succeeded(
                        Objects.requireNonNull(performer.perform(work(operation)), "result of the volume worker"));
            } catch (VolumeWorkException e) {
                return failed(e.reason(), e.getMessage(), e.raw());
            }
        }

        @Override
        protected WorkResult failed(Throwable cause) {
            if (cause instanceof InterruptedException) {
                return failed(
                        WorkFailure.INTERRUPTED, "The operation was interrupted before it finished.", cause.toString());
            }
            return failed(
                    WorkFailure.PANIC,
                    "The worker failed because of a bug in Mooring, not because of the volume: " + cause
                            + ". The log of the node has the stack trace.",
                    Stream.of(cause.getStackTrace())
                            .limit(3)
                            .map(each -> "at " + each)
                            .collect(Collectors.joining(" ")));
        }

        @Override
        protected WorkResult expired() {
            return failed(
                    WorkFailure.DEADLINE,
                    "The operation did not finish within " + limits.deadline().toSeconds()
                            + " s and was interrupted. It is retried when the interrupted attempt has"
                            + " ended; if it never ends, the disk or the server does not respond.",
                    "");
        }

        private static WorkResult failed(String reason, String message, String raw) {
            return new WorkResult.Failed(new WorkFailure(reason, message, raw));
        }

        @Override
        protected void report(WorkResult result) {
            reporter.write(operation, result, () -> executor.settle(this));
        }

        @Override
        protected Optional<WorkTask> next() {
            return task(operation.key());
        }
    }

    private static VolumeWork work(VolumeOperation operation) {
        return new VolumeWork(
                operation.operationType().orElseThrow(),
                operation.provisioner(),
                operation.volume(),
                operation.volumeUid(),
                operation.path(),
                operation.source(),
                operation.mode(),
                operation.capacity().map(Quantity::value).orElse(0L),
                operation.parameters(),
                operation
                        .claim()
                        .map(claim -> new ClaimIdentity(claim.namespace(), operation.namespaceUid(), claim.name())));
    }
}
