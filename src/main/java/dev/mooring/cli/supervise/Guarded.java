package dev.mooring.cli.supervise;

import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import java.util.function.Consumer;

/** A verticle whose uncaught exceptions are reported as its death, from before its first line runs. */
final class Guarded implements Deployable {
    private final Deployable verticle;
    private final Consumer<Throwable> died;

    Guarded(Deployable verticle, Consumer<Throwable> died) {
        this.verticle = verticle;
        this.died = died;
    }

    @Override
    public Future<?> deploy(Context context) throws Exception {
        context.exceptionHandler(died::accept);
        return verticle.deploy(context);
    }

    @Override
    public Future<?> undeploy(Context context) throws Exception {
        return verticle.undeploy(context);
    }
}
