package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import java.util.List;
import java.util.function.Supplier;

/** Additional components on the node of a {@link VolumeManagerFixture}, for the duration of one process. */
public interface NodeExtension {
    default PodStateProvider containers(PodStateProvider defaultProvider) {
        return defaultProvider;
    }

    default List<Supplier<Controller>> controllers() {
        return List.of();
    }

    default EffectExecutor effects() {
        return EffectExecutor.NONE;
    }

    /** Creates the extension for each new process. */
    interface Factory {
        Factory NONE = work -> new NodeExtension() {};

        NodeExtension create(WorkContext work);
    }
}
