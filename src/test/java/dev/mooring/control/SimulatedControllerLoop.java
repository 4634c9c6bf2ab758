package dev.mooring.control;

import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.sim.SimTaskGroup;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs a controller's loop in a simulation: on a serial executor, in virtual time. */
public final class SimulatedControllerLoop {
    private final ControllerLoop loop;
    private boolean closed;

    /** @param onFailure called when the loop can no longer receive events */
    public SimulatedControllerLoop(
            Supplier<? extends Controller> controllers,
            ControlContext context,
            SimTaskGroup tasks,
            SimSerialExecutor executor,
            Consumer<Throwable> onFailure) {
        this.loop = new ControllerLoop(controllers, context, new SerialLoopExecutor(tasks, executor), onFailure);
    }

    public void start(Runnable onStarted) {
        loop.start(onStarted);
    }

    public void close() {
        closed = true;
        loop.close();
    }

    private final class SerialLoopExecutor implements LoopExecutor {
        private final SimTaskGroup tasks;
        private final SimSerialExecutor executor;

        SerialLoopExecutor(SimTaskGroup tasks, SimSerialExecutor executor) {
            this.tasks = tasks;
            this.executor = executor;
        }

        @Override
        public void execute(Runnable task) {
            // Like the context of an undeployed verticle: tasks submitted earlier still run, and the loop ignores them
            // because it is closed.
            executor.execute(task);
        }

        @Override
        public Disposable schedule(Duration delay, Runnable task) {
            return closed ? Disposable.disposed() : tasks.after(delay, executor, task);
        }

        @Override
        public long nanos() {
            return tasks.schedule().nanos();
        }
    }
}
