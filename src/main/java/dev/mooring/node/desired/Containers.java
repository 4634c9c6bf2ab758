package dev.mooring.node.desired;

/** What is known of a node's containers beyond what their Pods say. Any thread; must not block. */
@FunctionalInterface
public interface Containers {
    /** A node that runs none. */
    Containers NONE = podUid -> false;

    /** Whether a container of a Pod may still run, whether or not the Pod exists. Who does not know says yes. */
    boolean mayRun(String podUid);
}
