package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import java.util.Optional;

/**
 * The result of resolving a Pod's volume.
 *
 * @param spec of its DesiredVolume; incomplete if there is a problem
 * @param problem why it cannot be mounted yet
 * @param cause the newest of the objects it was resolved from: the one whose change made the difference
 */
record ResolvedVolume(String volumeName, ObjectNode spec, Optional<UnresolvedException> problem, Cause cause) {}
