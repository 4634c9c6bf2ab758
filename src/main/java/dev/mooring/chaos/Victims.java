package dev.mooring.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The verticles of this process: a port, behind which is their supervisor. Any thread; never blocks. */
public interface Victims {
    /** All of them, in the order in which they were started. */
    CompletionStage<List<Victim>> all();

    CompletionStage<Void> kill(String verticle, String reason);

    CompletionStage<Void> pause(String verticle, Duration length, String reason);

    CompletionStage<Void> resumeAll();
}
