package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The steps of one simulation run. Each step has its own seed, so that removing one does not change the others.
 *
 * @param length number of steps before any were removed
 * @param retainedBytes how much log the server keeps, in bytes; 0 for all
 */
record SimulationPlan(long seed, int length, int nodes, long retainedBytes, List<SimulationStep> steps) {
    /** Steps of a full run. */
    static final int STEPS = 90;

    /** Steps of a short run, which is the beginning of the full run. */
    static final int FEW_STEPS = 36;

    /** Kind of a step; the weight is its relative frequency. */
    enum StepKind {
        USER(58),
        TENANT(8),
        MACHINE(16),
        WATCHER(5),
        WAIT(6),
        VERTICLE_KILLED(5),
        LEDGER_THREAD_KILLED(1),
        PROCESS_KILLED(2),
        PROCESS_CRASHES_WRITING(2),
        POWER_FAILS(2),
        SYNC_FAILS(1),
        DISK_FULL(1),
        CLOCK_SET(1);

        private final int weight;

        StepKind(int weight) {
            this.weight = weight;
        }

        static StepKind any(Random random) {
            int left = random.nextInt(total());
            for (StepKind each : values()) {
                left -= each.weight;
                if (left < 0) {
                    return each;
                }
            }
            throw new AssertionError(left);
        }

        private static int total() {
            int total = 0;
            for (StepKind each : values()) {
                total += each.weight;
            }
            return total;
        }
    }

    /**
     * One step.
     *
     * @param schedulerSteps maximum number of scheduler steps before the next step
     */
    record SimulationStep(int number, StepKind kind, long seed, int schedulerSteps) {}

    static SimulationPlan of(long seed) {
        return of(seed, STEPS);
    }

    static SimulationPlan of(long seed, int length) {
        Random random = new Random(seed * 0x5DEECE66DL + 11);
        List<SimulationStep> steps = new ArrayList<>();
        int nodes = 1 + random.nextInt(3);
        long retainedBytes = random.nextInt(3) == 0 ? 64 * 1024 : 0;
        // Some runs are busy; others leave time between the steps.
        int pace = 5 + random.nextInt(120);
        for (int i = 0; i < length; i++) {
            steps.add(new SimulationStep(i, StepKind.any(random), random.nextLong(), random.nextInt(pace)));
        }
        return new SimulationPlan(seed, length, nodes, retainedBytes, List.copyOf(steps));
    }

    /** Returns the same run with fewer steps. */
    SimulationPlan with(List<SimulationStep> fewer) {
        return new SimulationPlan(seed, length, nodes, retainedBytes, List.copyOf(fewer));
    }
}
