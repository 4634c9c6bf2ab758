package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import java.util.Optional;

/**
 * What was found out about a volume that a Pod wants.
 *
 * @param spec of its DesiredVolume, as far as known; all of it if there is no problem
 * @param problem why it cannot be mounted yet
 * @param cause the youngest of the objects it was found in: the one whose change made the difference
 */
record Resolved(String volumeName, ObjectNode spec, Optional<UnresolvedException> problem, Cause cause) {}
