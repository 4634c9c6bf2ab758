package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.util.Optional;

/** Completes and checks a Pod that a controller is about to create. A pure function of its arguments. */
@FunctionalInterface
public interface PodAdmission {
    /**
     * Sets the Pod's defaults and initial status.
     *
     * @param pod modified
     * @return why the Pod is not allowed; empty if it is
     */
    Optional<String> admit(World world, ObjectNode pod);
}
