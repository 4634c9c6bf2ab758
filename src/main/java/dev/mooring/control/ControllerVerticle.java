package dev.mooring.control;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs a controller on an event loop. The World holds all durable state, so killing the verticle at any point loses
 * nothing.
 */
public final class ControllerVerticle extends VerticleBase {
    private final Supplier<? extends Controller> controllerFactory;
    private final EffectExecutor effects;
    private final ControlContext controlContext;
    private final Consumer<Throwable> onFailure;
    private ControllerLoop loop;

    /** Creates a verticle for a controller that proposes only. */
    public ControllerVerticle(
            Supplier<? extends Controller> controllers, ControlContext context, Consumer<Throwable> onFailure) {
        this(controllers, EffectExecutor.NONE, context, onFailure);
    }

    /**
     * @param controllers creates a controller whenever the loop starts over from the World
     * @param onFailure receives the failure when events can no longer be followed
     */
    public ControllerVerticle(
            Supplier<? extends Controller> controllers,
            EffectExecutor effects,
            ControlContext context,
            Consumer<Throwable> onFailure) {
        this.controllerFactory = controllers;
        this.effects = effects;
        this.controlContext = context;
        this.onFailure = onFailure;
    }

    /** Completes when all existing objects have been delivered and changes are being followed. */
    @Override
    public Future<?> start() {
        Promise<Void> up = Promise.promise();
        loop = new ControllerLoop(
                controllerFactory, effects, controlContext, new VertxLoopExecutor(vertx, context), onFailure);
        loop.start(up::tryComplete);
        return up.future();
    }

    @Override
    public Future<?> stop() {
        loop.close();
        return Future.succeededFuture();
    }
}
