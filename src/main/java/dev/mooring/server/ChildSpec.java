package dev.mooring.server;

import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import java.util.function.Function;

/**
 * A verticle to supervise.
 *
 * @param name unique; appears in logs, metrics and health checks
 * @param factory creates a new instance for every start
 * @param firstStart what a failure of the first start means
 * @param loss which service is lost while it is down
 */
public record ChildSpec(
        String name,
        Function<? super FailureReporter, ? extends Deployable> factory,
        DeploymentOptions options,
        FirstStartPolicy firstStart,
        ServiceLoss loss) {

    /** What happens when the first start fails. */
    public enum FirstStartPolicy {
        /** The failure is returned to the caller: a server that cannot start should report it and exit. */
        REQUIRED,
        /** Retried like any later start. */
        RETRIED
    }

    /** Which service is lost while a verticle is down. */
    public enum ServiceLoss {
        /** Requests cannot be served, or nothing can be changed: the server is not ready. */
        TOTAL,
        /** Only the work of this verticle waits; everything else continues, including the API. */
        PARTIAL
    }

    /** Returns the spec of a verticle on an event loop, with a required first start and total loss. */
    public static ChildSpec required(String name, Function<? super FailureReporter, ? extends Deployable> factory) {
        return new ChildSpec(name, factory, new DeploymentOptions(), FirstStartPolicy.REQUIRED, ServiceLoss.TOTAL);
    }

    /** Returns the spec of a verticle on an event loop, with a retried first start and partial loss. */
    public static ChildSpec optional(String name, Function<? super FailureReporter, ? extends Deployable> factory) {
        return new ChildSpec(name, factory, new DeploymentOptions(), FirstStartPolicy.RETRIED, ServiceLoss.PARTIAL);
    }

    public ChildSpec withOptions(DeploymentOptions options) {
        return new ChildSpec(name, factory, options, firstStart, loss);
    }

    public ChildSpec retried() {
        return new ChildSpec(name, factory, options, FirstStartPolicy.RETRIED, loss);
    }

    /** Returns the spec with partial loss once the verticle has been up. */
    public ChildSpec withPartialLoss() {
        return new ChildSpec(name, factory, options, firstStart, ServiceLoss.PARTIAL);
    }

    /** Reports the failure of one verticle instance to its supervisor. Thread-safe; may be called repeatedly. */
    @FunctionalInterface
    public interface FailureReporter {
        /** Reports that this instance cannot continue and must be replaced. Ignored if it has been replaced already. */
        void reportFailure(Throwable cause);
    }
}
