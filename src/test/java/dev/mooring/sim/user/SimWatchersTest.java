package dev.mooring.sim.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.testing.SimulatedDisk;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SimWatchersTest {
    private final InvariantViolations violations = new InvariantViolations();
    private final Coverage coverage = new Coverage();
    private final DeterministicScheduler scheduler = new DeterministicScheduler(11);
    private final SimServerFixture fixture = new SimServerFixture(scheduler, 11);
    private final SimUsers users = new SimUsers(scheduler, new Random(11), fixture::api, violations, coverage);
    private final SimWatchers watchers = new SimWatchers(scheduler, new Random(12), fixture::api, violations, coverage);

    private void run(int steps) {
        for (int i = 0; i < steps; i++) {
            users.step();
            if (i % 3 == 0) {
                watchers.step();
            }
            for (int taken = 0; taken < 8; taken++) {
                scheduler.step();
            }
        }
    }

    private void settle() {
        watchers.catchUp();
        scheduler.run(Duration.ofMinutes(2));
        watchers.quiescent(fixture.world());
    }

    @Test
    void watchers_runningServer_seeAllEventsInOrder() {
        run(300);
        settle();
        assertThat(violations.all()).isEmpty();
        assertThat(watchers.hasCaughtUp(fixture.world())).isTrue();
        assertThat(coverage.hits().get("watcher connects").toString())
                .contains("FAST", "SLOW", "STEADY", "from the log");
    }

    @Test
    void watchers_serverRestarted_resume() {
        run(150);
        fixture.restart();
        run(150);
        fixture.restart();
        settle();
        assertThat(violations.all()).isEmpty();
        assertThat(watchers.hasCaughtUp(fixture.world())).isTrue();
    }

    @Test
    void watchers_historyExpired_startAgain() {
        run(60);
        for (int i = 0; i < 5; i++) {
            run(60);
            fixture.forgetHistory();
        }
        settle();
        settle();
        assertThat(violations.all()).isEmpty();
        assertThat(coverage.hits()).containsKey("watcher receives Expired");
        assertThat(watchers.hasCaughtUp(fixture.world())).isTrue();
    }

    @Test
    void watchers_acknowledgedEventsLost_reportI1() {
        run(100);
        SimulatedDisk earlier = fixture.copyOfDisk();
        run(100);
        watchers.catchUp();
        scheduler.run(Duration.ofSeconds(30));
        fixture.restart(earlier);
        watchers.catchUp();
        assertThat(violations.all().toString()).contains("I1: watcher-0 has seen revision");
    }
}
