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

    /**
     * The result of one probe.
     *
     * @param message human-readable; "" if there is none
     */
    record ProbeResult(Kind kind, String message) {

        /** The kind of a result. */
        enum Kind {
            SUCCESS,
            /** A success with a message. */
            WARNING,
            FAILURE,
            /** The probe could not run; counts neither as success nor as failure. */
            UNKNOWN
        }

        static ProbeResult success() {
            return new ProbeResult(Kind.SUCCESS, "");
        }

        static ProbeResult warning(String text) {
            return new ProbeResult(Kind.WARNING, text);
        }

        static ProbeResult failure(String text) {
            return new ProbeResult(Kind.FAILURE, text);
        }

        static ProbeResult unknown(String text) {
            return new ProbeResult(Kind.UNKNOWN, text);
        }

        boolean isSuccess() {
            return kind == Kind.SUCCESS || kind == Kind.WARNING;
        }
    }
}
