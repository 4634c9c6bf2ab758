package dev.mooring.node.container;

import dev.mooring.runtime.ContainerSpec;
import java.util.List;

/**
 * A container that can be made.
 *
 * @param remarks what whoever made the Pod should hear
 */
public record Prepared(ContainerSpec spec, List<Remark> remarks) {
    public Prepared {
        remarks = List.copyOf(remarks);
    }

    /** In the words of an Event, which is a warning. */
    public record Remark(String reason, String message) {}
}
