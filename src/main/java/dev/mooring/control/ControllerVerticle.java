package dev.mooring.control;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Runs a controller on an event loop. All it knows can be found in the World again, so killing it anywhere loses nothing. */
public final class ControllerVerticle extends VerticleBase {
    private final Supplier<? extends Controller> controllers;
    private final ControlParts parts;
    private final Consumer<Throwable> died;
    private ControllerLoop loop;

    /**
     * @param controllers makes the controller anew whenever it has to begin from the World
     * @param died told when events can no longer be followed
     */
    public ControllerVerticle(
            Supplier<? extends Controller> controllers, ControlParts parts, Consumer<Throwable> died) {
        this.controllers = controllers;
        this.parts = parts;
        this.died = died;
    }

    /** Up when everything that exists has been looked through and changes are being followed. */
    @Override
    public Future<?> start() {
        Promise<Void> up = Promise.promise();
        loop = new ControllerLoop(controllers, parts, new VertxThread(vertx, context), died);
        loop.start(up::tryComplete);
        return up.future();
    }

    @Override
    public Future<?> stop() {
        loop.close();
        return Future.succeededFuture();
    }
}
