package dev.mooring.control.schedule;

import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Volume;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;

/**
 * A node on which a Pod can run, and how. Immutable.
 *
 * @param matches claims that would be bound to an existing volume
 * @param toProvision claims for which the node would be selected to provision a volume
 * @param awaitsProvisioning whether the node is already selected for a claim whose volume does not exist yet
 * @param score for ranking
 */
record FeasibleNode(
        Node node,
        List<StaticBinding> matches,
        List<PodClaims.WaitingClaim> toProvision,
        boolean awaitsProvisioning,
        NodeScore score)
        implements NodeFilterResult {
    /** Orders by score, best first, then by name, so that no two are equal. */
    static final Comparator<FeasibleNode> BEST_FIRST = Comparator.comparing(FeasibleNode::score)
            .thenComparing(plan -> plan.node().name());

    /** A claim and the volume it would be bound to. */
    record StaticBinding(Claim claim, Volume volume) {
        /** Returns by how much the volume exceeds the request. */
        BigDecimal excessCapacity() {
            return volume.capacity()
                    .orElse(Quantity.ZERO)
                    .minus(claim.request())
                    .exact();
        }
    }

    /**
     * Ranking criteria in order of priority; smaller is better.
     *
     * @param provisioningFailures failed attempts to provision on the node
     * @param toProvision volumes to provision
     * @param excessCapacity total by which the volumes exceed the requests
     * @param preferNoScheduleCount untolerated PreferNoSchedule taints
     * @param pods on the node
     */
    record NodeScore(
            int provisioningFailures, int toProvision, BigDecimal excessCapacity, int preferNoScheduleCount, int pods)
            implements Comparable<NodeScore> {
        private static final Comparator<NodeScore> ORDER = Comparator.comparingInt(NodeScore::provisioningFailures)
                .thenComparingInt(NodeScore::toProvision)
                .thenComparing(NodeScore::excessCapacity)
                .thenComparingInt(NodeScore::preferNoScheduleCount)
                .thenComparingInt(NodeScore::pods);

        @Override
        public int compareTo(NodeScore other) {
            return ORDER.compare(this, other);
        }
    }

    FeasibleNode {
        matches = List.copyOf(matches);
        toProvision = List.copyOf(toProvision);
    }
}
