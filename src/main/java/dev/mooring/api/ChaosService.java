package dev.mooring.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletionStage;

/**
 * Injects faults on request. The stages fail with a {@link dev.mooring.api.StatusException} for errors to return
 * to the client. Thread-safe; never blocks.
 */
public interface ChaosService {
    /** Returns the current state of all faults. */
    CompletionStage<ObjectNode> report();

    /**
     * Performs an action.
     *
     * @param action the last segment of the path
     * @param user the authorized user
     */
    CompletionStage<ObjectNode> perform(String action, ObjectNode body, String user);
}
