package dev.mooring.server;

/** Reports the failure of one verticle instance to its supervisor. Thread-safe; may be called repeatedly. */
@FunctionalInterface
public interface FailureReporter {
    /** Reports that this instance cannot continue and must be replaced. Ignored if it has been replaced already. */
    void reportFailure(Throwable cause);
}
