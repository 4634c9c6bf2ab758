package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.CompletionStage;

/**
 * Probes containers. Never blocks, never throws; the result arrives on any thread, at the latest when the probe's
 * timeout has passed.
 */
@FunctionalInterface
interface Prober {
    CompletionStage<ProbeResult> probe(Target target, ProbeSpec probe);

    /**
     * The container to probe.
     *
     * @param container its spec
     * @param podAddress "" if the Pod has none
     */
    record Target(JsonNode container, String containerId, String podAddress) {}
}
