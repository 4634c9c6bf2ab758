package dev.mooring.node.pods;

import dev.mooring.model.ObjectKey;
import java.util.function.Consumer;

/**
 * Requeues Pods at the current Pod controller. Requests without a controller are dropped: a new controller syncs all
 * Pods. Thread-safe.
 */
public final class PodRequeue implements Consumer<ObjectKey> {
    /** A key that stands for all Pods; no object has it. */
    static final ObjectKey ALL_PODS = ObjectKey.clusterWide("podsofnode", "all");

    private volatile Consumer<ObjectKey> target = key -> {};

    void setTarget(Consumer<ObjectKey> to) {
        target = to;
    }

    /** Requeues all Pods, because the engine became present or absent. */
    public void requeueAll() {
        accept(ALL_PODS);
    }

    @Override
    public void accept(ObjectKey key) {
        target.accept(key);
    }
}
