package dev.mooring.sim.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Schedule;
import dev.mooring.testing.SimulatedDisk;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SimWatchersTest {
    private final Findings findings = new Findings();
    private final Coverage coverage = new Coverage();
    private final Schedule schedule = new Schedule(11);
    private final Stand stand = new Stand(schedule, 11);
    private final SimUsers users = new SimUsers(schedule, new Random(11), stand::api, findings, coverage);
    private final SimWatchers watchers = new SimWatchers(schedule, new Random(12), stand::api, findings, coverage);

    private void live(int acts) {
        for (int i = 0; i < acts; i++) {
            users.act();
            if (i % 3 == 0) {
                watchers.act();
            }
            for (int steps = 0; steps < 8; steps++) {
                schedule.step();
            }
        }
    }

    private void settle() {
        watchers.hurry();
        schedule.run(Duration.ofMinutes(2));
        watchers.quiescent(stand.world());
    }

    @Test
    void seeEverythingOnceAndInOrder() {
        live(300);
        settle();
        assertThat(findings.all()).isEmpty();
        assertThat(watchers.hasCaughtUp(stand.world())).isTrue();
        assertThat(coverage.hits().get("watcher connects").toString())
                .contains("FAST", "SLOW", "STEADY", "from the log");
    }

    @Test
    void goOnAfterTheServerWasKilled() {
        live(150);
        stand.restart();
        live(150);
        stand.restart();
        settle();
        assertThat(findings.all()).isEmpty();
        assertThat(watchers.hasCaughtUp(stand.world())).isTrue();
    }

    @Test
    void beginAnewWhenHistoryIsCutOff() {
        live(60);
        for (int i = 0; i < 5; i++) {
            live(60);
            stand.forgetHistory();
        }
        settle();
        settle();
        assertThat(findings.all()).isEmpty();
        assertThat(coverage.hits()).containsKey("watcher is told that history is cut off");
        assertThat(watchers.hasCaughtUp(stand.world())).isTrue();
    }

    @Test
    void findThatTheyWereShownWhatIsLost() {
        live(100);
        SimulatedDisk earlier = stand.copyOfDisk();
        live(100);
        watchers.hurry();
        schedule.run(Duration.ofSeconds(30));
        stand.restart(earlier);
        watchers.hurry();
        assertThat(findings.all().toString()).contains("I1: watcher-0 has seen revision");
    }
}
