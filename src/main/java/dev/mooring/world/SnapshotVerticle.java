package dev.mooring.world;

import io.reactivex.rxjava3.disposables.Disposable;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;

/** Keeps a {@link Snapshotter} going. To be deployed on a worker: starting it looks at files. */
public final class SnapshotVerticle extends VerticleBase {
    private final Snapshotter snapshotter;
    private final Consumer<Throwable> died;
    private Disposable running = Disposable.disposed();

    /** @param died told when events can no longer be followed */
    public SnapshotVerticle(Snapshotter snapshotter, Consumer<Throwable> died) {
        this.snapshotter = snapshotter;
        this.died = died;
    }

    @Override
    public Future<?> start() throws Exception {
        running = snapshotter.start(died);
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        running.dispose();
        return Future.succeededFuture();
    }
}
