package dev.mooring.control.schedule;

import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Volume;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;

/**
 * How a Pod could be on a node. Immutable.
 *
 * @param matches claims that would get a volume that is there
 * @param toMake claims for which the node would be selected, so that a volume is made
 * @param isAwaited whether the node is selected for a claim and its volume not there yet
 * @param merit what speaks for and against the node
 */
record Plan(Node node, List<Match> matches, List<PodClaims.Waiting> toMake, boolean isAwaited, Merit merit)
        implements NodeOutcome {
    /** The best first; as nodes have names, no two are equal. */
    static final Comparator<Plan> BEST_FIRST =
            Comparator.comparing(Plan::merit).thenComparing(plan -> plan.node().name());

    /** A claim and the volume it would get. */
    record Match(Claim claim, Volume volume) {
        /** How much more it would get than it asks for. */
        BigDecimal waste() {
            return volume.capacity()
                    .orElse(Quantity.ZERO)
                    .minus(claim.request())
                    .exact();
        }
    }

    /**
     * What counts, in this order, less of each being better.
     *
     * @param setbacks how often making a volume there has failed
     * @param toMake volumes that would have to be made
     * @param waste how much more the claims would get than they ask for
     * @param dislikes taints that say that the Pod had better not be there
     * @param pods on the node
     */
    record Merit(int setbacks, int toMake, BigDecimal waste, int dislikes, int pods) implements Comparable<Merit> {
        private static final Comparator<Merit> ORDER = Comparator.comparingInt(Merit::setbacks)
                .thenComparingInt(Merit::toMake)
                .thenComparing(Merit::waste)
                .thenComparingInt(Merit::dislikes)
                .thenComparingInt(Merit::pods);

        @Override
        public int compareTo(Merit other) {
            return ORDER.compare(this, other);
        }
    }

    Plan {
        matches = List.copyOf(matches);
        toMake = List.copyOf(toMake);
    }
}
