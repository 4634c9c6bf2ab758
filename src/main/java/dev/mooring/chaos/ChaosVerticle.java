package dev.mooring.chaos;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Provides timers for {@link Chaos}. All faults are disarmed when this verticle ends. */
public final class ChaosVerticle extends VerticleBase {
    private final Chaos chaos;

    public ChaosVerticle(Chaos chaos) {
        this.chaos = chaos;
    }

    @Override
    public Future<?> start() {
        // Timers of this verticle's context end with it.
        chaos.start((delay, task) ->
                context.runOnContext(v -> vertx.setTimer(Math.max(1, delay.toMillis()), fired -> task.run())));
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        chaos.stop();
        return Future.succeededFuture();
    }
}
