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

/** Thousands of short lives, each from a seed: nothing is lost, nothing happens that must not, and in the end everything is as it should be. */
class SimulationTest {
    private static final long SEEDS = Long.getLong("mooring.seeds", 2000);
    private static final long FIRST = Long.getLong("mooring.seed", 1);

    /** Found something once; docs/reliability.md says what. */
    private static final List<Plan> FOUND =
            List.of(Plan.of(18), Plan.of(48), Plan.of(186), Plan.of(1886, Plan.FEW_ACTS), Plan.of(1794889746047097L));

    private static Level before;

    @BeforeAll
    static void quiet() {
        before = Quiet.please();
    }

    @AfterAll
    static void loud() {
        Quiet.noMore(before);
    }

    @Test
    @Timeout(1200)
    void nothingIsLostInAnyLife() throws InterruptedException {
        Lives lives = new Lives(Runtime.getRuntime().availableProcessors(), Plan.FEW_ACTS);
        lives.live(FIRST, SEEDS, () -> lives.firstFailure().isPresent(), outcome -> {});
        lives.firstFailure().ifPresent(SimulationTest::failWith);
        assertThat(lives.lived()).isEqualTo(SEEDS);
    }

    @Test
    void whatWasFoundOnceIsNotFoundAgain() {
        for (Plan plan : FOUND) {
            Life.Outcome outcome = new Life(plan).live();
            if (outcome.finding().isPresent()) {
                failWith(outcome);
            }
        }
    }

    @Test
    void theSameSeedIsTheSameLife() {
        for (long seed = FIRST; seed < FIRST + 20; seed++) {
            Life.Outcome one = new Life(Plan.of(seed, Plan.FEW_ACTS)).live();
            Life.Outcome other = new Life(Plan.of(seed, Plan.FEW_ACTS)).live();
            assertThat(other.trace()).as("seed %s", seed).isEqualTo(one.trace());
            assertThat(other.steps()).isEqualTo(one.steps());
        }
    }

    /** Sets that are made by {@code Set.of} and the like have another order in each process. */
    @Test
    void theSameSeedIsTheSameLifeInAnotherProcess() throws Exception {
        int seeds = 12;
        Process other = JavaProcess.start(Traces.class, Integer.toString(seeds));
        String said;
        try (InputStream told = other.getInputStream()) {
            said = new String(told.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(other.waitFor()).isZero();
        List<String> here = new ArrayList<>();
        for (long seed = 1; seed <= seeds; seed++) {
            here.add(Traces.TOLD + Traces.of(seed));
        }
        assertThat(said.lines().filter(line -> line.startsWith(Traces.TOLD))).containsExactlyElementsOf(here);
    }

    private static void failWith(Life.Outcome outcome) {
        fail(String.join("\n", FailureReport.of(outcome, new Minimizer(200).minimize(outcome))));
    }
}
