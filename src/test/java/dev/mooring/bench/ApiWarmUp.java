package dev.mooring.bench;

import java.util.ArrayList;
import java.util.List;

/** Does something again and again until it costs what it cost before: until then the compiler is still at work. */
final class ApiWarmUp {
    private static final int ALIKE = 3;
    private static final double TOLERANCE = 0.06;

    /** Does it once, and says what one operation cost. */
    interface Window {
        double cost() throws Exception;
    }

    private ApiWarmUp() {}

    /**
     * Returns how many windows it took; {@code most} if it never was steady.
     *
     * @param least even if it seems steady before: a compiler that has not begun is steady too
     */
    static int untilSteady(int least, int most, Window window) throws Exception {
        List<Double> costs = new ArrayList<>();
        while (costs.size() < most && (costs.size() < least || !isSteady(costs))) {
            costs.add(window.cost());
        }
        return costs.size();
    }

    private static boolean isSteady(List<Double> costs) {
        if (costs.size() <= ALIKE) {
            return false;
        }
        Rounds last = new Rounds();
        costs.subList(costs.size() - ALIKE, costs.size()).forEach(last::add);
        return last.spread() < TOLERANCE / 2;
    }
}
