package dev.mooring.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import dev.mooring.testing.JavaProcess;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs thousands of short simulations: no invariant is violated, and every run converges. */
class SimulationTest {
    private static final long SEEDS = Long.getLong("mooring.seeds", 1000);
    private static final long FIRST = Long.getLong("mooring.seed", 1);

    /** Runs that violated an invariant before a fix; see docs/reliability.md. */
    private static final List<SimulationPlan> FOUND = List.of(
            SimulationPlan.of(18),
            SimulationPlan.of(48),
            SimulationPlan.of(186),
            SimulationPlan.of(1886, SimulationPlan.FEW_STEPS),
            SimulationPlan.of(1772, SimulationPlan.FEW_STEPS),
            SimulationPlan.of(1794889746047097L));

    private static Level before;

    @BeforeAll
    static void suppressLogging() {
        before = SuppressedLogging.suppress();
    }

    @AfterAll
    static void restoreLogging() {
        SuppressedLogging.restore(before);
    }

    @Test
    @Timeout(1200)
    void shortRuns_thousandSeeds_violateNoInvariant() throws InterruptedException {
        SimulationRuns runs = new SimulationRuns(Runtime.getRuntime().availableProcessors(), SimulationPlan.FEW_STEPS);
        runs.run(FIRST, SEEDS, () -> runs.firstFailure().isPresent(), outcome -> {});
        runs.firstFailure().ifPresent(SimulationTest::failWith);
        assertThat(runs.completed()).isEqualTo(SEEDS);
    }

    @Test
    void seedsWithFixedViolations_rerun_violateNoInvariant() {
        for (SimulationPlan plan : FOUND) {
            SimulationRun.SimulationResult outcome = new SimulationRun(plan).run();
            if (outcome.violation().isPresent()) {
                failWith(outcome);
            }
        }
    }

    @Test
    void sameSeed_runTwice_givesSameTrace() {
        for (long seed = FIRST; seed < FIRST + 20; seed++) {
            SimulationRun.SimulationResult one =
                    new SimulationRun(SimulationPlan.of(seed, SimulationPlan.FEW_STEPS)).run();
            SimulationRun.SimulationResult other =
                    new SimulationRun(SimulationPlan.of(seed, SimulationPlan.FEW_STEPS)).run();
            assertThat(other.trace()).as("seed %s", seed).isEqualTo(one.trace());
            assertThat(other.schedulerSteps()).isEqualTo(one.schedulerSteps());
        }
    }

    /** The iteration order of {@code Set.of} and similar sets differs between processes. */
    @Test
    void sameSeed_runInAnotherProcess_givesSameTrace() throws Exception {
        int seeds = 12;
        Process other = JavaProcess.start(TraceMain.class, Integer.toString(seeds));
        String output;
        try (InputStream stdout = other.getInputStream()) {
            output = new String(stdout.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(other.waitFor()).isZero();
        List<String> expected = new ArrayList<>();
        for (long seed = 1; seed <= seeds; seed++) {
            expected.add(TraceMain.TRACE_PREFIX + TraceMain.of(seed));
        }
        assertThat(output.lines().filter(line -> line.startsWith(TraceMain.TRACE_PREFIX)))
                .containsExactlyElementsOf(expected);
    }

    private static void failWith(SimulationRun.SimulationResult outcome) {
        fail(String.join("\n", FailureReport.of(outcome, new Minimizer(200).minimize(outcome))));
    }
}
