package dev.mooring.chaos;

import java.util.concurrent.CompletionStage;

/** Where it is written down what was done on purpose, so that nobody looks for a fault that is none. A port. Any thread; never blocks. */
@FunctionalInterface
public interface Chronicle {
    /**
     * Writes something down.
     *
     * @param type of the event
     * @param actor who wanted it
     * @param message a sentence for people
     * @return whether it was written down in time; it is no reason not to go on if it was not
     */
    CompletionStage<Boolean> record(String type, String actor, String message);
}
