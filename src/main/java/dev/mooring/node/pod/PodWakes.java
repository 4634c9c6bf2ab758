package dev.mooring.node.pod;

import dev.mooring.model.ObjectKey;
import java.util.function.Consumer;

/** Leads to whichever driver there is. What happens while there is none is found out by the next one, which looks at everything. Thread-safe. */
public final class PodWakes implements Consumer<ObjectKey> {
    /** Stands for all Pods, and for no object. */
    static final ObjectKey EVERYTHING = ObjectKey.clusterWide("podsofnode", "all");

    private volatile Consumer<ObjectKey> target = key -> {};

    void lead(Consumer<ObjectKey> to) {
        target = to;
    }

    /** Has all Pods looked at: the engine has come or gone. */
    public void everything() {
        accept(EVERYTHING);
    }

    @Override
    public void accept(ObjectKey key) {
        target.accept(key);
    }
}
