package dev.mooring.bench;

import java.util.ArrayList;
import java.util.List;

/** Repeats an operation until its cost is stable, which means that the JIT compiler is done. */
final class ApiWarmUp {
    private static final int STABLE_WINDOWS = 3;
    private static final double TOLERANCE = 0.06;

    /** Runs one window of operations and returns the cost of one operation. */
    interface Window {
        double cost() throws Exception;
    }

    private ApiWarmUp() {}

    /**
     * Returns the number of windows until the cost was stable; {@code most} if it never was.
     *
     * @param least minimum number of windows: the cost is also stable before compilation begins
     * @param most maximum number of windows
     */
    static int untilSteady(int least, int most, Window window) throws Exception {
        List<Double> costs = new ArrayList<>();
        while (costs.size() < most && (costs.size() < least || !isSteady(costs))) {
            costs.add(window.cost());
        }
        return costs.size();
    }

    private static boolean isSteady(List<Double> costs) {
        if (costs.size() <= STABLE_WINDOWS) {
            return false;
        }
        Measurements last = new Measurements();
        costs.subList(costs.size() - STABLE_WINDOWS, costs.size()).forEach(last::add);
        return last.spread() < TOLERANCE / 2;
    }
}
