package dev.mooring.sim;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.sim.SimulationPlan.SimulationStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Report of a simulation run with a violation: how to repeat it, the violation, and the minimized steps. */
final class FailureReport {
    private static final Path DIRECTORY = Path.of("build", "chaos");

    private FailureReport() {}

    /**
     * Returns the lines of the report.
     *
     * @param failed the original run
     * @param minimized the run with the fewest steps that has the same violation
     */
    static List<String> of(SimulationRun.SimulationResult failed, SimulationRun.SimulationResult minimized) {
        long seed = failed.plan().seed();
        List<String> lines = new ArrayList<>();
        lines.add("seed " + seed + ", step " + failed.schedulerSteps() + ", " + failed.where() + ": "
                + failed.violation().orElseThrow());
        int length = failed.plan().length();
        lines.add("repeat: make chaos SEED=" + seed + (length == SimulationPlan.STEPS ? "" : " STEPS=" + length));
        Path data = DIRECTORY.resolve("seed-" + seed);
        try {
            minimized.store().save(data);
            lines.add("log: build/install/mooring/bin/mooring log cat --data " + data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.add("minimized to " + minimized.plan().steps().size() + " of " + length + " steps: "
                + minimized.violation().orElseThrow());
        for (SimulationStep step : minimized.plan().steps()) {
            lines.add("  step " + step.number() + " " + step.kind() + ", then up to " + step.schedulerSteps()
                    + " scheduler steps");
        }
        lines.add("journal:");
        minimized.journal().forEach(each -> lines.add("  " + each));
        lines.add("last events:");
        for (Event event : minimized.latestEvents()) {
            lines.add("  " + line(event));
        }
        return lines;
    }

    private static String line(Event event) {
        StringBuilder text = new StringBuilder()
                .append(event.revision())
                .append(' ')
                .append(event.time())
                .append(' ')
                .append(event.type())
                .append(" by ")
                .append(event.actor());
        for (Change change : event.changes()) {
            text.append(' ').append(change.key());
        }
        return text.toString();
    }
}
