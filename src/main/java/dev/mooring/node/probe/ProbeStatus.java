package dev.mooring.node.probe;

import java.util.Optional;

/**
 * The current probe results of a container.
 *
 * @param started whether its startupProbe has succeeded; true without one
 * @param ready whether its readinessProbe succeeds; true without one, once it is started
 * @param failure the probe that exceeded its failure threshold ("startup" or "liveness"); if set, the container
 *     must be stopped
 */
public record ProbeStatus(boolean started, boolean ready, Optional<String> failure) {}
