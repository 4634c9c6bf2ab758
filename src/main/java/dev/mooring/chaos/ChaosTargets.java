package dev.mooring.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The verticles of this process. Implemented by their supervisor. Thread-safe; never blocks. */
public interface ChaosTargets {
    /** Returns all verticles in order of their start. */
    CompletionStage<List<ChaosTarget>> all();

    CompletionStage<Void> kill(String verticle, String reason);

    CompletionStage<Void> pause(String verticle, Duration length, String reason);

    CompletionStage<Void> resumeAll();
}
