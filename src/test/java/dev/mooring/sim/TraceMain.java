package dev.mooring.sim;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Separate program that executes the short runs of seeds 1 to N and prints the trace of each. */
public final class TraceMain {
    static final String TRACE_PREFIX = "trace ";

    private TraceMain() {}

    public static void main(String[] args) {
        SuppressedLogging.suppress();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (long seed = 1; seed <= Long.parseLong(args[0]); seed++) {
            out.println(TRACE_PREFIX + of(seed));
        }
        System.exit(0);
    }

    static long of(long seed) {
        return new SimulationRun(SimulationPlan.of(seed, SimulationPlan.FEW_STEPS))
                .run()
                .trace();
    }
}
