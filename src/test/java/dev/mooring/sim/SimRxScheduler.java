package dev.mooring.sim;

import dev.mooring.sim.DeterministicScheduler.SimTimer;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** RxJava scheduler whose workers are executors of a task group. */
final class SimRxScheduler extends Scheduler {
    private final SimTaskGroup taskGroup;
    private final String name;

    SimRxScheduler(SimTaskGroup taskGroup, String name) {
        this.taskGroup = taskGroup;
        this.name = name;
    }

    @Override
    public Worker createWorker() {
        return new ExecutorWorker(taskGroup.executor(name));
    }

    @Override
    public long now(TimeUnit unit) {
        return unit.convert(taskGroup.schedule().nanos(), TimeUnit.NANOSECONDS);
    }

    private final class ExecutorWorker extends Worker {
        private final SimSerialExecutor executor;
        private final CompositeDisposable tasks = new CompositeDisposable();

        ExecutorWorker(SimSerialExecutor executor) {
            this.executor = executor;
        }

        @Override
        public Disposable schedule(Runnable run, long delay, TimeUnit unit) {
            if (tasks.isDisposed() || !taskGroup.isAlive()) {
                return Disposable.disposed();
            }
            Disposable[] self = new Disposable[1];
            boolean[] cancelled = new boolean[1];
            Runnable task = () -> {
                if (!cancelled[0]) {
                    tasks.delete(self[0]);
                    run.run();
                }
            };
            if (delay <= 0) {
                self[0] = Disposable.fromRunnable(() -> cancelled[0] = true);
                tasks.add(self[0]);
                executor.execute(task);
            } else {
                SimTimer timer = taskGroup.schedule().timer(Duration.ofNanos(unit.toNanos(delay)), executor, task);
                self[0] = Disposable.fromRunnable(() -> {
                    cancelled[0] = true;
                    timer.cancel();
                });
                tasks.add(self[0]);
            }
            return self[0];
        }

        @Override
        public void dispose() {
            tasks.dispose();
        }

        @Override
        public boolean isDisposed() {
            return tasks.isDisposed();
        }
    }
}
