package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import java.util.function.Consumer;

/** Provides the container state of a node's Pods, beyond their status. Any thread; must not block. */
@FunctionalInterface
public interface PodStateProvider {
    /** For a node that runs no containers. */
    PodStateProvider NONE = podUid -> false;

    /** Returns whether a container of a Pod may still run, even if the Pod is gone. Returns true if unknown. */
    boolean mayRun(String podUid);

    /**
     * Registers a listener for the end of a Pod's containers, which reduces polling. Some ends are not notified, and
     * some twice.
     *
     * @param listener called with a Pod of which no container may run any more, by any thread; must not block.
     *     Replaces the previous listener
     */
    default void onContainersEnded(Consumer<ObjectKey> listener) {}
}
