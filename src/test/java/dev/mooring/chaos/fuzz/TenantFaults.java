package dev.mooring.chaos.fuzz;

import dev.mooring.sim.fault.InjectedFault;
import dev.mooring.sim.fault.MissingChecks;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Program that removes one check of the API after another and sends random requests of tenants until they find it. Runs
 * in its own JVM, because its classes are changed. Prints a line per fault: {@code found NAME: problem} or
 * {@code missed NAME}.
 */
public final class TenantFaults {
    private static final int HUNDRED = 100;

    private TenantFaults() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Path directory = Path.of(args[0]);
        for (InjectedFault fault : MissingChecks.ALL) {
            Path data = Files.createTempDirectory(directory, "data");
            try (InjectedFault.InjectedMutation unused = fault.inject();
                    TenantRun run = TenantRun.start(7, data)) {
                Optional<String> found = run.run(fault.maxRuns() * HUNDRED);
                out.println(found.map(what -> "found " + fault.name() + ": " + what.replace('\n', ' '))
                        .orElse("missed " + fault.name()));
            }
        }
        System.exit(0);
    }
}
