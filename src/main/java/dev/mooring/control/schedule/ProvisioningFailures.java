package dev.mooring.control.schedule;

import dev.mooring.control.Backoff;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers on which nodes provisioning for a claim failed, which shows when the selected node is removed from the
 * claim. Such a node ranks last, and is chosen again only after a delay, so that a claim neither stays on a full node
 * nor alternates between nodes. Lost on restart; then the same nodes are tried once more. Not thread-safe.
 */
final class ProvisioningFailures {
    /** @param until when the node may be chosen again; empty until the first query, because changes carry no time */
    private record NodeFailures(int times, Optional<Instant> until) {}

    private final Map<ObjectKey, Map<String, NodeFailures>> byClaim = new HashMap<>();

    /** Updates the failures with a claim's change. */
    void update(ObjectKey key, Optional<Claim> before, Optional<Claim> after) {
        if (after.filter(claim -> !PodClaims.isBound(claim)).isEmpty()) {
            byClaim.remove(key);
            return;
        }
        Optional<String> lost = before.filter(
                        claim -> claim.uid().equals(after.get().uid()))
                .flatMap(Claim::selectedNode)
                .filter(node -> after.get().selectedNode().isEmpty());
        lost.ifPresent(node -> byClaim.computeIfAbsent(key, each -> new HashMap<>())
                .merge(
                        node,
                        new NodeFailures(1, Optional.empty()),
                        (known, more) -> new NodeFailures(known.times() + 1, Optional.empty())));
    }

    /** Returns the number of failures on a node. */
    int count(Claim claim, String node) {
        NodeFailures setback = byClaim.getOrDefault(claim.key(), Map.of()).get(node);
        return setback == null ? 0 : setback.times();
    }

    /** Returns when the node may be chosen for the claim; in the past if it may be now. */
    Instant notBefore(Claim claim, String node, Instant now) {
        Map<String, NodeFailures> setbacks = byClaim.getOrDefault(claim.key(), Map.of());
        NodeFailures setback = setbacks.get(node);
        if (setback == null) {
            return Instant.MIN;
        }
        Instant until = setback.until().orElseGet(() -> now.plus(Backoff.PROVISIONING.after(setback.times())));
        setbacks.put(node, new NodeFailures(setback.times(), Optional.of(until)));
        return until;
    }
}
