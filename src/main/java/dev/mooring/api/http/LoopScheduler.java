package dev.mooring.api.http;

import io.reactivex.rxjava3.annotations.NonNull;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Context;
import java.util.concurrent.TimeUnit;

/** Runs a watcher's turns on an event loop, and tells it when a turn is over. Knows no delays: a watcher needs none. */
final class LoopScheduler extends Scheduler {
    private final Context context;
    private final Runnable afterEachTurn;

    LoopScheduler(Context context, Runnable afterEachTurn) {
        this.context = context;
        this.afterEachTurn = afterEachTurn;
    }

    @Override
    public Worker createWorker() {
        return new Worker() {
            private volatile boolean disposed;

            @Override
            public Disposable schedule(@NonNull Runnable turn, long delay, @NonNull TimeUnit unit) {
                if (delay > 0) {
                    throw new UnsupportedOperationException(
                            "Expected a turn without delay, but it is to wait " + delay);
                }
                context.runOnContext(v -> {
                    if (!disposed) {
                        turn.run();
                        afterEachTurn.run();
                    }
                });
                return this;
            }

            @Override
            public void dispose() {
                disposed = true;
            }

            @Override
            public boolean isDisposed() {
                return disposed;
            }
        };
    }
}
