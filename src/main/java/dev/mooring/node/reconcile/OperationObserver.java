package dev.mooring.node.reconcile;

import java.time.Duration;

/** Is told of every operation that has ended. Any thread; must not block. */
public interface OperationObserver {
    OperationObserver NONE = (operation, plugin, failed, duration) -> {};

    void ended(Operation operation, String plugin, Result result, Duration duration);

    /** How it ended. */
    enum Result {
        SUCCESS,
        FAILURE
    }
}
