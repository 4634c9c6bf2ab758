package dev.mooring.server;

import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import java.util.function.Consumer;

/** Wraps a verticle and reports its uncaught exceptions as its death, from before its start method runs. */
final class UncaughtExceptionGuard implements Deployable {
    private final Deployable verticle;
    private final Consumer<Throwable> died;

    UncaughtExceptionGuard(Deployable verticle, Consumer<Throwable> died) {
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
