package dev.mooring.node.container;

import dev.mooring.runtime.ContainerSpec;
import java.util.List;

/**
 * A container that is ready to be created.
 *
 * @param warnings for the Pod's owner
 */
public record PreparedContainer(ContainerSpec spec, List<ContainerWarning> warnings) {
    public PreparedContainer {
        warnings = List.copyOf(warnings);
    }

    /** A warning Event. */
    public record ContainerWarning(String reason, String message) {}
}
