package dev.mooring.chaos;

import java.util.concurrent.CompletionStage;

/** Records injected faults in the history, so that they are not mistaken for real ones. Thread-safe; never blocks. */
@FunctionalInterface
public interface FaultJournal {
    /**
     * Records a fault.
     *
     * @param type of the event
     * @param actor the requesting user
     * @param message a sentence for people
     * @return whether it was recorded in time; if not, the fault is injected nevertheless
     */
    CompletionStage<Boolean> record(String type, String actor, String message);
}
