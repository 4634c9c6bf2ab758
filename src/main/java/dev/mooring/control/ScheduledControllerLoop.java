package dev.mooring.control;

import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs a controller on an RxJava scheduler instead of an event loop: in a simulation, in virtual time. */
public final class ScheduledControllerLoop {
    private final ControllerLoop loop;
    private boolean closed;

    /** @param onFailure called when the loop can no longer receive events */
    public ScheduledControllerLoop(
            Supplier<? extends Controller> controllers,
            EffectExecutor effects,
            ControlContext context,
            Scheduler scheduler,
            Consumer<Throwable> onFailure) {
        this.loop = new ControllerLoop(controllers, effects, context, new WorkerLoopExecutor(scheduler), onFailure);
    }

    public void start(Runnable onStarted) {
        loop.start(onStarted);
    }

    public void close() {
        closed = true;
        loop.close();
    }

    private final class WorkerLoopExecutor implements LoopExecutor {
        private final Scheduler scheduler;
        private final Scheduler.Worker worker;

        WorkerLoopExecutor(Scheduler scheduler) {
            this.scheduler = scheduler;
            this.worker = scheduler.createWorker();
        }

        @Override
        public void execute(Runnable task) {
            // Like the context of an undeployed verticle: tasks submitted earlier still run, and the loop ignores them
            // because it is closed.
            Disposable unused = worker.schedule(task);
        }

        @Override
        public Disposable schedule(Duration delay, Runnable task) {
            return closed ? Disposable.disposed() : worker.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public long nanos() {
            return scheduler.now(TimeUnit.NANOSECONDS);
        }
    }
}
