package dev.mooring.sim;

import dev.mooring.sim.SimulationPlan.SimulationStep;
import java.util.ArrayList;
import java.util.List;

/** Minimizes a run with a violation: removes steps as long as the run still violates the same invariant. */
final class Minimizer {
    private final int attempts;
    private int made;

    /** @param attempts maximum number of runs */
    Minimizer(int attempts) {
        this.attempts = attempts;
    }

    SimulationRun.SimulationResult minimize(SimulationRun.SimulationResult failed) {
        String invariant = failed.violation().orElseThrow().invariant();
        SimulationRun.SimulationResult best = upTo(failed, invariant);
        for (int chunk = Math.max(1, best.plan().steps().size() / 2); chunk >= 1; chunk /= 2) {
            int at = 0;
            while (at < best.plan().steps().size() && made < attempts) {
                List<SimulationStep> fewer = new ArrayList<>(best.plan().steps());
                fewer.subList(at, Math.min(at + chunk, fewer.size())).clear();
                SimulationRun.SimulationResult tried = run(best.plan().with(fewer));
                if (isSame(tried, invariant)) {
                    best = tried;
                } else {
                    at += chunk;
                }
            }
        }
        return best;
    }

    /** Removes the steps after the violation. */
    private SimulationRun.SimulationResult upTo(SimulationRun.SimulationResult failed, String invariant) {
        List<SimulationStep> steps = failed.plan().steps();
        if (failed.step() < 0 || failed.step() + 1 >= steps.size()) {
            return failed;
        }
        SimulationRun.SimulationResult tried = run(failed.plan().with(steps.subList(0, failed.step() + 1)));
        return isSame(tried, invariant) ? tried : failed;
    }

    private SimulationRun.SimulationResult run(SimulationPlan plan) {
        made++;
        return new SimulationRun(plan).run();
    }

    private static boolean isSame(SimulationRun.SimulationResult tried, String invariant) {
        return tried.violation()
                .filter(each -> each.invariant().equals(invariant))
                .isPresent();
    }
}
