package dev.mooring.api.http;

import io.reactivex.rxjava3.annotations.NonNull;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Context;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler that runs a subscriber's batches on an event loop and notifies it at the end of each. Does not support
 * delays, which watches do not need.
 */
final class EventLoopScheduler extends Scheduler {
    private final Context context;
    private final Runnable afterEachTurn;

    EventLoopScheduler(Context context, Runnable afterEachTurn) {
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
                    throw new UnsupportedOperationException("Delays are not supported, got " + delay);
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
