package dev.mooring.control;

import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;

/** The thread of a verticle: its context, with Vert.x's timers. */
final class VertxThread implements LoopThread {
    private static final long NANOS_IN_MILLI = 1_000_000;

    private final Vertx vertx;
    private final Context context;

    VertxThread(Vertx vertx, Context context) {
        this.vertx = vertx;
        this.context = context;
    }

    @Override
    public void run(Runnable task) {
        context.runOnContext(unused -> task.run());
    }

    @Override
    public Disposable after(Duration delay, Runnable task) {
        // Rounded up, because a timer that comes too early would have to be set again.
        long millis = (delay.toNanos() + NANOS_IN_MILLI - 1) / NANOS_IN_MILLI;
        long timer = vertx.setTimer(Math.max(1, millis), unused -> task.run());
        return Disposable.fromRunnable(() -> vertx.cancelTimer(timer));
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
