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
 * @param loss what is missing while it is down
 */
public record ChildSpec(
        String name,
        Function<? super Supervision, ? extends Deployable> factory,
        DeploymentOptions options,
        FirstStart firstStart,
        Loss loss) {

    /** What happens when a verticle has never been up and its start fails. */
    public enum FirstStart {
        /** The failure goes to whoever asked: a server that cannot begin should say so and end. */
        REQUIRED,
        /** Tried again like any later start. */
        RETRIED
    }

    /** What is missing while a verticle is down. */
    public enum Loss {
        /** Requests cannot be served, or nothing can be changed: nobody should be sent here. */
        SERVING,
        /** What this verticle does waits; everything else goes on, the API included. */
        ITS_PART
    }

    /** On an event loop, first start required, nothing can be served without it. */
    public static ChildSpec required(String name, Function<? super Supervision, ? extends Deployable> factory) {
        return new ChildSpec(name, factory, new DeploymentOptions(), FirstStart.REQUIRED, Loss.SERVING);
    }

    /** On an event loop; without it all else goes on, from the first start on. */
    public static ChildSpec part(String name, Function<? super Supervision, ? extends Deployable> factory) {
        return new ChildSpec(name, factory, new DeploymentOptions(), FirstStart.RETRIED, Loss.ITS_PART);
    }

    public ChildSpec withOptions(DeploymentOptions options) {
        return new ChildSpec(name, factory, options, firstStart, loss);
    }

    public ChildSpec retried() {
        return new ChildSpec(name, factory, options, FirstStart.RETRIED, loss);
    }

    /** Once it has been up, all else goes on without it. */
    public ChildSpec losingItsPart() {
        return new ChildSpec(name, factory, options, firstStart, Loss.ITS_PART);
    }
}
