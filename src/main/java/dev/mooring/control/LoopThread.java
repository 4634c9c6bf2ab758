package dev.mooring.control;

import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;

/** The one thread of a {@link ControllerLoop}, real or simulated, and the time that its timers obey. */
interface LoopThread {
    /** Has a task run soon, after those given before. Any thread may call it. */
    void run(Runnable task);

    /** Has a task run after a while, unless disposed of. Only the thread itself calls it. */
    Disposable after(Duration delay, Runnable task);

    /** Nanoseconds of any origin that only ever grow. */
    long nanos();
}
