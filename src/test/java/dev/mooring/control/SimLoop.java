package dev.mooring.control;

import dev.mooring.sim.Living;
import dev.mooring.sim.Strand;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A controller's loop in a simulation: on a strand, in virtual time. */
public final class SimLoop {
    private final ControllerLoop loop;
    private boolean closed;

    /** @param died told when events can no longer be followed */
    public SimLoop(
            Supplier<? extends Controller> controllers,
            ControlParts parts,
            Living life,
            Strand strand,
            Consumer<Throwable> died) {
        this.loop = new ControllerLoop(controllers, parts, new StrandThread(life, strand), died);
    }

    public void start(Runnable following) {
        loop.start(following);
    }

    public void close() {
        closed = true;
        loop.close();
    }

    private final class StrandThread implements LoopThread {
        private final Living life;
        private final Strand strand;

        StrandThread(Living life, Strand strand) {
            this.life = life;
            this.strand = strand;
        }

        @Override
        public void run(Runnable task) {
            // As a context does whose verticle is gone: what was handed over earlier still arrives, and the loop knows
            // that it is closed.
            strand.execute(task);
        }

        @Override
        public Disposable after(Duration delay, Runnable task) {
            return closed ? Disposable.disposed() : life.after(delay, strand, task);
        }

        @Override
        public long nanos() {
            return life.schedule().nanos();
        }
    }
}
