package dev.mooring.control;

import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;

/** The single thread of a {@link ControllerLoop}, real or simulated, with its timers and monotonic clock. */
interface LoopExecutor {
    /** Runs a task after all tasks submitted before. Thread-safe. */
    void execute(Runnable task);

    /** Runs a task after a delay, unless it is disposed first. Called on the executor's thread only. */
    Disposable schedule(Duration delay, Runnable task);

    /** Returns monotonic nanoseconds of arbitrary origin. */
    long nanos();
}
