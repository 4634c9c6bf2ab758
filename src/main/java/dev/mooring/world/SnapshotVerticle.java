package dev.mooring.world;

import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;

/** Runs a {@link Snapshotter}. Must be deployed on a worker, because starting it reads files. */
public final class SnapshotVerticle extends VerticleBase {
    private final Snapshotter snapshotter;
    private final Consumer<Throwable> onFailure;
    private Disposable running = Disposable.disposed();

    /** @param onFailure receives the failure when events can no longer be followed */
    public SnapshotVerticle(Snapshotter snapshotter, Consumer<Throwable> onFailure) {
        this.snapshotter = snapshotter;
        this.onFailure = onFailure;
    }

    @Override
    public Future<?> start() throws Exception {
        running = snapshotter.start(onFailure);
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        running.dispose();
        return Future.succeededFuture();
    }
}
