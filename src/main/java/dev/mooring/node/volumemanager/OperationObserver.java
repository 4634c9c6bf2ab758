package dev.mooring.node.volumemanager;

import java.time.Duration;

/** Observes ended operations. Any thread; must not block. */
public interface OperationObserver {
    OperationObserver NONE = (operation, plugin, failed, duration) -> {};

    void onOperationEnded(Operation operation, String plugin, Result result, Duration duration);

    /** The result of an operation. */
    enum Result {
        SUCCESS,
        FAILURE
    }
}
