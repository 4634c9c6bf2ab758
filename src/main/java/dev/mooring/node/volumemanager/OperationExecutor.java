package dev.mooring.node.volumemanager;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.volumemanager.Reconciler.StartOperation;
import dev.mooring.volume.VolumeException.FailureState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Executes started operations in a {@link KeyedExecutor} and records their results. Anything a plugin throws fails its
 * own operation only. A late operation has failed, and may have left something behind.
 *
 * <p>Operations are kept in memory only: those that were in progress when the process died are handled by
 * {@link Recovery} before anything else starts. If an operation is in progress in the World when it is settled, the
 * reconciler has started it again meanwhile, and it is executed again: no other event would trigger it.
 *
 * <p>Outlives the controller's verticle. Thread-safe.
 */
public final class OperationExecutor implements EffectExecutor, AutoCloseable {
    private final OperationRecorder recorder;
    private final PluginCalls calls;
    private final VolumeEventRecorder eventRecorder;
    private final OperationObserver observer;
    private final WorkLimits limits;
    private final WorkContext context;
    private final DurableWriter writer;
    private final KeyedExecutor executor;

    public OperationExecutor(NodeContext node, OperationObserver observer, WorkLimits limits, WorkContext context) {
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.eventRecorder = new VolumeEventRecorder(recorder.actor(), context);
        this.calls = new PluginCalls(node, recorder, eventRecorder);
        this.observer = observer;
        this.limits = limits;
        this.context = context;
        this.writer = new DurableWriter(context.world(), context.timers());
        this.executor = limits.newExecutor(context);
    }

    /** Executes an operation that is in progress in the World, unless it is pending. */
    @Override
    public void execute(Effect effect) {
        task((StartOperation) effect).ifPresent(executor::submit);
    }

    /** Returns the number of operations that are queued, running, or whose result is being written. */
    public int pendingOperations() {
        return executor.size();
    }

    /** Stops admission and interrupts running operations; all of them stay in progress for the next process. */
    @Override
    public void close() {
        writer.close();
        executor.close();
    }

    private Optional<OperationTask> task(StartOperation start) {
        return current(start).map(volume -> new OperationTask(start, volume));
    }

    /** Returns the volume if the operation is in progress there. */
    private Optional<ActualVolume> current(StartOperation start) {
        return context.world()
                .world()
                .get(start.key().volume())
                .map(ActualVolume::of)
                .filter(volume -> isOpen(volume, start));
    }

    private static boolean isOpen(ActualVolume volume, StartOperation start) {
        String open = start.operation().isPerPod()
                ? volume.mountFor(start.key().podUid())
                        .map(ActualVolume.Mount::operation)
                        .orElse("")
                : volume.operation();
        return open.equals(start.operation().text());
    }

    private final class OperationTask extends KeyedExecutor.Task<OperationResult> {
        private final StartOperation start;
        private StartedOperation started;

        private OperationTask(StartOperation start, ActualVolume volume) {
            super(
                    new TaskKey(start.key(), start.operation()),
                    calls.workerPool(volume, start.desired()),
                    calls.exclusiveKey(start.key(), volume));
            this.start = start;
            this.started = new StartedOperation(start, volume);
        }

        @Override
        protected boolean begin() {
            Optional<ActualVolume> volume = current(start);
            volume.ifPresent(each -> started = new StartedOperation(start, each));
            return volume.isPresent();
        }

        @Override
        protected OperationResult run() throws InterruptedException {
            Instant began = context.clock().instant();
            OperationObserver.Result result = OperationObserver.Result.FAILURE;
            try {
                OperationResult ended = calls.perform(started, context.world().world());
                if (!(ended instanceof OperationResult.Failed)) {
                    result = OperationObserver.Result.SUCCESS;
                }
                return ended;
            } finally {
                observer.onOperationEnded(
                        start.operation(),
                        started.volume().plugin(),
                        result,
                        Duration.between(began, context.clock().instant()));
            }
        }

        @Override
        protected OperationResult failed(Throwable cause) {
            if (cause instanceof InterruptedException) {
                return failed("Interrupted", "it was interrupted before it finished", cause.toString());
            }
            StackTraceElement[] trace = cause.getStackTrace();
            return failed(
                    "Panic",
                    "the plugin failed because of a bug in Mooring, not because of the volume: " + cause
                            + "; the log of the node has the stack trace",
                    trace.length == 0 ? "" : "at " + trace[0]);
        }

        @Override
        protected OperationResult expired() {
            return failed(
                    "DeadlineExceeded",
                    "it did not finish within " + limits.deadline().toSeconds()
                            + " s and was interrupted; it is retried when the interrupted attempt has ended",
                    "");
        }

        private static OperationResult failed(String reason, String message, String raw) {
            return new OperationResult.Failed(FailureState.UNCERTAIN, reason, message, raw);
        }

        @Override
        protected void report(OperationResult result) {
            eventRecorder.recordResult(started, result);
            writer.write(
                    start.key().volume(),
                    world -> world.get(start.key().volume())
                            .map(ActualVolume::of)
                            .flatMap(volume -> recorder.recordFinished(
                                    volume,
                                    start.operation(),
                                    start.key().podUid(),
                                    result,
                                    context.clock().instant())),
                    () -> executor.settle(this));
        }

        @Override
        protected Optional<OperationTask> next() {
            return task(start);
        }
    }

    /** One operation on one volume, for one Pod or for all. */
    private record TaskKey(OperationKey key, Operation operation) {
        @Override
        public String toString() {
            return operation.text() + " of " + key.volume();
        }
    }

    /**
     * An operation that is being executed.
     *
     * @param volume as of the recorded or, later, the actual start of the operation
     */
    record StartedOperation(StartOperation start, ActualVolume volume) {}
}
