package dev.mooring.node.desired;

import dev.mooring.model.ObjectKey;
import java.util.function.Consumer;

/** What is known of a node's containers beyond what their Pods say. Any thread; must not block. */
@FunctionalInterface
public interface Containers {
    /** A node that runs none. */
    Containers NONE = podUid -> false;

    /** Whether a container of a Pod may still run, whether or not the Pod exists. Who does not know says yes. */
    boolean mayRun(String podUid);

    /**
     * Whoever waits for the end of a Pod's containers need not ask again and again. Not every end is told, and some twice.
     *
     * @param told of a Pod of which no container may run any more, by any thread; must not block. Replaces who was told before
     */
    default void whenEnded(Consumer<ObjectKey> told) {}
}
