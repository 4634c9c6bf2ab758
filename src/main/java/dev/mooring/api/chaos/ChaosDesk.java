package dev.mooring.api.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletionStage;

/**
 * Where faults are asked for. The stages fail with a {@link dev.mooring.api.status.StatusException} for what the client should be told. Any thread; never
 * blocks.
 */
public interface ChaosDesk {
    /** How things stand. */
    CompletionStage<ObjectNode> report();

    /**
     * Does something.
     *
     * @param action the last part of the path
     * @param user who asks, and may
     */
    CompletionStage<ObjectNode> perform(String action, ObjectNode body, String user);
}
