package dev.mooring.control;

import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link LoopExecutor} on a verticle's context with Vert.x timers. */
final class VertxLoopExecutor implements LoopExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(VertxLoopExecutor.class);
    private static final long NANOS_IN_MILLI = 1_000_000;

    private final Vertx vertx;
    private final Context context;

    VertxLoopExecutor(Vertx vertx, Context context) {
        this.vertx = vertx;
        this.context = context;
    }

    @Override
    public void execute(Runnable task) {
        try {
            context.runOnContext(unused -> task.run());
        } catch (RejectedExecutionException e) {
            LOG.atDebug().setCause(e).log("Vert.x is closed; ignoring task");
        }
    }

    @Override
    public Disposable schedule(Duration delay, Runnable task) {
        // Rounds up: a timer that fires too early would have to be set again.
        long millis = (delay.toNanos() + NANOS_IN_MILLI - 1) / NANOS_IN_MILLI;
        long timer = vertx.setTimer(Math.max(1, millis), unused -> task.run());
        return Disposable.fromRunnable(() -> vertx.cancelTimer(timer));
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
