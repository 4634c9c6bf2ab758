package dev.mooring.cli.supervise;

import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import java.util.function.Function;

/**
 * A verticle to be kept alive.
 *
 * @param name unique; appears in logs, metrics and health checks
 * @param factory makes a new instance for every start; never hands out the same one twice
 * @param firstStart what a failure of the very first start means
 */
public record ChildSpec(
        String name,
        Function<? super Supervision, ? extends Deployable> factory,
        DeploymentOptions options,
        FirstStart firstStart) {

    /** What happens when a verticle has never been up and its start fails. */
    public enum FirstStart {
        /** The failure goes to whoever asked: a server that cannot begin should say so and end. */
        REQUIRED,
        /** Tried again like any later start. */
        RETRIED
    }

    /** On an event loop, first start required. */
    public static ChildSpec required(String name, Function<? super Supervision, ? extends Deployable> factory) {
        return new ChildSpec(name, factory, new DeploymentOptions(), FirstStart.REQUIRED);
    }

    public ChildSpec withOptions(DeploymentOptions options) {
        return new ChildSpec(name, factory, options, firstStart);
    }

    public ChildSpec retried() {
        return new ChildSpec(name, factory, options, FirstStart.RETRIED);
    }
}
