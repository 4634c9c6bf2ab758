package dev.mooring.replay.explain;

import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explanation.Finding;

/**
 * Explains the objects of one resource. Implementations call the functions by which controllers and nodes decide, hold
 * no state and change nothing.
 */
@FunctionalInterface
interface ResourceExplainer {
    /**
     * The state of an object and its explanation.
     *
     * @param state such as {@code Pending}
     * @param root about the object itself; its text says that the object is in the state
     */
    record Explained(String state, Finding root) {}

    Explained explain(StoredObject object, ExplainContext context);
}
