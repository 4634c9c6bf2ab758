package dev.mooring.sim.fault;

import dev.mooring.sim.SeedRuns;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Injects one fault after another and runs the simulation until each is detected. Runs as a separate program, because
 * it modifies the classes of its JVM.
 *
 * <p>Prints a line for each fault: {@code detected NAME after N runs (I4: message)} or {@code missed NAME in N runs}.
 * Arguments are names of faults; none means all.
 */
public final class InjectedFaultMain {
    private InjectedFaultMain() {}

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        SeedRuns.suppressLogging();
        List<String> wanted = List.of(args);
        for (InjectedFault fault : InjectedFaults.ALL) {
            if (wanted.isEmpty() || wanted.contains(fault.name())) {
                out.println(findFault(fault));
            }
        }
        // Exits although runs with injected faults may have left threads hanging.
        System.exit(0);
    }

    private static String findFault(InjectedFault fault) {
        try (InjectedFault.InjectedMutation unused = fault.inject()) {
            for (int run = 1; run <= fault.maxRuns(); run++) {
                Optional<String> found = SeedRuns.violationOf(fault.firstRun() + run - 1);
                if (found.isPresent()) {
                    return "detected " + fault.name() + " after " + run + " runs (" + found.get() + ")";
                }
            }
            return "missed " + fault.name() + " in " + fault.maxRuns() + " runs";
        }
    }
}
