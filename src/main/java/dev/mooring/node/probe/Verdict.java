package dev.mooring.node.probe;

import java.util.Optional;

/**
 * What probes have found out about a container so far.
 *
 * @param started whether its startupProbe has succeeded; true without one
 * @param ready whether its readinessProbe succeeds; true without one, once it is started
 * @param failure set when it is to be ended: which probe failed too often ("startup" or "liveness")
 */
public record Verdict(boolean started, boolean ready, Optional<String> failure) {}
