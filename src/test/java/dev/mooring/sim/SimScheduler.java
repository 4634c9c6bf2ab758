package dev.mooring.sim;

import dev.mooring.sim.Schedule.Alarm;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** RxJava's workers on strands of a life. */
final class SimScheduler extends Scheduler {
    private final Living life;
    private final String name;

    SimScheduler(Living life, String name) {
        this.life = life;
        this.name = name;
    }

    @Override
    public Worker createWorker() {
        return new StrandWorker(life.strand(name));
    }

    @Override
    public long now(TimeUnit unit) {
        return unit.convert(life.schedule().nanos(), TimeUnit.NANOSECONDS);
    }

    private final class StrandWorker extends Worker {
        private final Strand strand;
        private final CompositeDisposable tasks = new CompositeDisposable();

        StrandWorker(Strand strand) {
            this.strand = strand;
        }

        @Override
        public Disposable schedule(Runnable run, long delay, TimeUnit unit) {
            if (tasks.isDisposed() || !life.isAlive()) {
                return Disposable.disposed();
            }
            Disposable[] self = new Disposable[1];
            boolean[] off = new boolean[1];
            Runnable task = () -> {
                if (!off[0]) {
                    tasks.delete(self[0]);
                    run.run();
                }
            };
            if (delay <= 0) {
                self[0] = Disposable.fromRunnable(() -> off[0] = true);
                tasks.add(self[0]);
                strand.execute(task);
            } else {
                Alarm alarm = life.schedule().alarm(Duration.ofNanos(unit.toNanos(delay)), strand, task);
                self[0] = Disposable.fromRunnable(() -> {
                    off[0] = true;
                    alarm.turnOff();
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
