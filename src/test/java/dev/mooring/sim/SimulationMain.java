package dev.mooring.sim;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * {@code make chaos}: runs seeds for some time, or one seed exactly. Exits with 1 after a violation, which is printed
 * with its seed.
 *
 * <pre>--seed N [--steps N] | --seconds N [--steps N] [--first SEED] [--threads N]</pre>
 */
public final class SimulationMain {
    private static final int MINIMIZING_RUNS = 400;
    private static final int REPORT_AFTER_SECONDS = 10;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private SimulationMain() {}

    public static void main(String[] args) throws InterruptedException {
        SuppressedLogging.suppress();
        System.exit(new SimulationMain().run(args));
    }

    private int run(String... args) throws InterruptedException {
        long seconds = 60;
        long first = System.currentTimeMillis() * 1000;
        int threads = Runtime.getRuntime().availableProcessors();
        int length = SimulationPlan.STEPS;
        OptionalLong seed = OptionalLong.empty();
        for (int i = 0; i + 1 < args.length; i += 2) {
            long value = Long.parseLong(args[i + 1]);
            switch (args[i]) {
                case "--seed" -> seed = OptionalLong.of(value);
                case "--steps" -> length = (int) value;
                case "--seconds" -> seconds = value;
                case "--first" -> first = value;
                case "--threads" -> threads = (int) value;
                default ->
                    throw new IllegalArgumentException(
                            "Unknown option " + args[i] + "; use --seed, --steps, --seconds, --first or --threads");
            }
        }
        return seed.isPresent()
                ? runOne(SimulationPlan.of(seed.getAsLong(), length))
                : runMany(first, seconds, new SimulationRuns(threads, length));
    }

    /** Executes one run twice, to show that it is reproducible. */
    private int runOne(SimulationPlan plan) {
        SimulationRun.SimulationResult outcome = new SimulationRun(plan).run();
        SimulationRun.SimulationResult again = new SimulationRun(plan).run();
        outcome.journal().forEach(out::println);
        out.println("seed " + plan.seed() + ": " + outcome.schedulerSteps() + " scheduler steps, trace "
                + Long.toHexString(outcome.trace())
                + (outcome.trace() == again.trace() ? ", reproduced" : ", but the second run differs"));
        if (outcome.violation().isEmpty()) {
            out.println("no violation");
            return 0;
        }
        report(outcome);
        return 1;
    }

    private int runMany(long first, long seconds, SimulationRuns runs) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + TimeUnit.SECONDS.toNanos(seconds);
        long[] lastReport = {start};
        out.println("simulation: seeds from " + first + " for " + seconds + " s");
        runs.run(first, Long.MAX_VALUE - first, () -> System.nanoTime() > end, outcome -> {
            outcome.violation()
                    .ifPresent(found -> out.println("  seed " + outcome.plan().seed() + ": " + found));
            if (System.nanoTime() - lastReport[0] > TimeUnit.SECONDS.toNanos(REPORT_AFTER_SECONDS)) {
                lastReport[0] = System.nanoTime();
                out.println("  " + runs.completed() + " runs, " + runs.steps() + " scheduler steps, "
                        + runs.failed().size() + " failed");
            }
        });
        out.println("faults and phases reached:");
        CoverageReport.lines(runs.coverage()).forEach(out::println);
        out.println(runs.completed() + " runs, " + runs.steps() + " scheduler steps, "
                + runs.failed().size() + " failed");
        runs.failed().stream().limit(3).forEach(this::report);
        runs.failed().stream()
                .skip(3)
                .forEach(each -> out.println(
                        "seed " + each.plan().seed() + ": " + each.violation().orElseThrow()));
        return runs.failed().isEmpty() ? 0 : 1;
    }

    private void report(SimulationRun.SimulationResult failed) {
        List<String> report = FailureReport.of(failed, new Minimizer(MINIMIZING_RUNS).minimize(failed));
        report.forEach(out::println);
    }
}
