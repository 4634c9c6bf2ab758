package dev.mooring.chaos;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Gives {@link Chaos} its time. With this verticle ends all that is armed, however it ends. */
public final class ChaosVerticle extends VerticleBase {
    private final Chaos chaos;

    public ChaosVerticle(Chaos chaos) {
        this.chaos = chaos;
    }

    @Override
    public Future<?> start() {
        // On this verticle's own context, so that its timers end with it.
        chaos.begin((delay, task) ->
                context.runOnContext(v -> vertx.setTimer(Math.max(1, delay.toMillis()), fired -> task.run())));
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        chaos.end();
        return Future.succeededFuture();
    }
}
