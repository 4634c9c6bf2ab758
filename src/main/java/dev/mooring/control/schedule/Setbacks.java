package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where making a volume for a claim has failed, which shows in that the selected node was taken back. Such a node is chosen after all
 * others, and again only after a while, so that a claim neither stays nailed to a full node nor goes round in circles. It is forgotten with a
 * restart: then the same nodes are tried once more. For one thread.
 */
final class Setbacks {
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);
    private static final int MOST_DOUBLINGS = 8;

    /** @param until when the node may be chosen again; nothing until somebody asks, as changes come without a time */
    private record Setback(int times, Optional<Instant> until) {
        Duration pause() {
            Duration pause = FIRST_WAIT.multipliedBy(1L << Math.min(times - 1, MOST_DOUBLINGS));
            return pause.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : pause;
        }
    }

    private final Map<ObjectKey, Map<String, Setback>> byClaim = new HashMap<>();

    /** Takes in a change of a claim. */
    void follow(ObjectKey key, Optional<Claim> before, Optional<Claim> after) {
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
                        new Setback(1, Optional.empty()),
                        (known, more) -> new Setback(known.times() + 1, Optional.empty())));
    }

    /** How often it has failed there. */
    int count(Claim claim, String node) {
        Setback setback = byClaim.getOrDefault(claim.key(), Map.of()).get(node);
        return setback == null ? 0 : setback.times();
    }

    /** When the node may be chosen for the claim; in the past if it may be now. */
    Instant notBefore(Claim claim, String node, Instant now) {
        Map<String, Setback> setbacks = byClaim.getOrDefault(claim.key(), Map.of());
        Setback setback = setbacks.get(node);
        if (setback == null) {
            return Instant.MIN;
        }
        Instant until = setback.until().orElseGet(() -> now.plus(setback.pause()));
        setbacks.put(node, new Setback(setback.times(), Optional.of(until)));
        return until;
    }
}
