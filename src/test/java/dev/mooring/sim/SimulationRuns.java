package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Many simulation runs on several threads; each run belongs to one thread. */
final class SimulationRuns {
    private final int threads;
    private final int length;
    private final Coverage coverage = new Coverage();
    private final List<SimulationRun.SimulationResult> failed = new ArrayList<>();
    private long completed;
    private long steps;

    /** @param length steps of each run */
    SimulationRuns(int threads, int length) {
        this.threads = threads;
        this.length = length;
    }

    /**
     * Runs seeds from {@code first} on.
     *
     * @param enough checked before each run; true stops
     * @param each receives each result, one at a time
     */
    void run(long first, long count, BooleanSupplier enough, Consumer<SimulationRun.SimulationResult> each)
            throws InterruptedException {
        AtomicLong next = new AtomicLong(first);
        List<Thread> all = new ArrayList<>();
        List<Throwable> broken = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (long seed = next.getAndIncrement();
                                    seed < first + count && !enough.getAsBoolean();
                                    seed = next.getAndIncrement()) {
                                SimulationRun.SimulationResult outcome =
                                        new SimulationRun(SimulationPlan.of(seed, length)).run();
                                synchronized (this) {
                                    add(outcome);
                                    each.accept(outcome);
                                }
                            }
                        } catch (RuntimeException | Error e) {
                            synchronized (this) {
                                broken.add(e);
                            }
                        }
                    },
                    "simulation-" + i);
            thread.start();
            all.add(thread);
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (!broken.isEmpty()) {
            throw new AssertionError("The simulation itself failed", broken.get(0));
        }
    }

    private void add(SimulationRun.SimulationResult outcome) {
        completed++;
        steps += outcome.schedulerSteps();
        coverage.add(outcome.coverage());
        if (outcome.violation().isPresent()) {
            failed.add(outcome);
        }
    }

    Coverage coverage() {
        return coverage;
    }

    Optional<SimulationRun.SimulationResult> firstFailure() {
        return failed.stream().findFirst();
    }

    List<SimulationRun.SimulationResult> failed() {
        return failed;
    }

    long completed() {
        return completed;
    }

    long steps() {
        return steps;
    }
}
