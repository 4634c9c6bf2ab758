package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.CompletionStage;

/** Asks containers how they are. Never blocks, never throws; the answer comes on any thread, at the latest when the probe's timeout is over. */
@FunctionalInterface
interface Checker {
    CompletionStage<Answer> check(Target target, ProbeSpec probe);

    /**
     * Who is asked.
     *
     * @param container its spec
     * @param podAddress "" if the Pod has none
     */
    record Target(JsonNode container, String containerId, String podAddress) {}
}
