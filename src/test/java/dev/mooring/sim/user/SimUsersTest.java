package dev.mooring.sim.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Schedule;
import dev.mooring.testing.SimulatedDisk;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SimUsersTest {
    private static final int ACTS = 300;

    private final Findings findings = new Findings();
    private final Coverage coverage = new Coverage();

    private record Run(Schedule schedule, Stand stand, SimUsers users) {
        void act(int times) {
            for (int i = 0; i < times; i++) {
                users.act();
                for (int steps = 0; steps < 6; steps++) {
                    schedule.step();
                }
            }
        }

        void settle() {
            schedule.run(Duration.ofMinutes(2));
        }

        void check() {
            users.acks().check(stand.world(), stand.api().orElseThrow().spine().log());
        }
    }

    private Run run(long seed) {
        Schedule schedule = new Schedule(seed);
        Stand stand = new Stand(schedule, seed);
        return new Run(schedule, stand, new SimUsers(schedule, new Random(seed), stand::api, findings, coverage));
    }

    @Test
    void twoRunsOfASeedAreTheSame() {
        Run one = run(7);
        one.act(ACTS);
        one.settle();
        Run other = run(7);
        other.act(ACTS);
        other.settle();
        assertThat(one.users().acks().history()).isEqualTo(other.users().acks().history());
        assertThat(one.stand().world()).isEqualTo(other.stand().world());
        assertThat(one.schedule().trace()).isEqualTo(other.schedule().trace());
    }

    @Test
    void seedsDiffer() {
        Run one = run(1);
        one.act(ACTS);
        Run other = run(2);
        other.act(ACTS);
        assertThat(one.users().acks().history())
                .isNotEqualTo(other.users().acks().history());
    }

    @Test
    void muchOfWhatTheyDoSucceedsAndAllOfItIsInTheLog() {
        for (long seed = 0; seed < 5; seed++) {
            Run run = run(seed);
            run.act(ACTS);
            run.settle();
            run.check();
            Acks acks = run.users().acks();
            assertThat(findings.all()).as("seed %s", seed).isEmpty();
            assertThat(acks.successes())
                    .as("seed %s: of %s, %s", seed, acks.answers(), coverage.hits())
                    .isGreaterThan(acks.answers() * 40 / 100);
        }
    }

    @Test
    void theyDoAllKindsOfThings() {
        for (long seed = 0; seed < 5; seed++) {
            Run run = run(seed);
            run.act(ACTS);
            run.settle();
        }
        assertThat(coverage.hits().keySet())
                .contains(
                        "user creates PV",
                        "user creates PVC",
                        "user creates Pod",
                        "user creates StorageClass",
                        "user creates PV with two sources",
                        "user deletes Pending PV",
                        "user deletes to recreate",
                        "user replaces what it has read",
                        "user applies ConfigMap",
                        "user adds a finalizer",
                        "user removes its finalizer",
                        "user edits status of PVC");
        assertThat(coverage.hits().get("user replaces what it has read")).containsKeys("done", "409 Conflict");
    }

    @Test
    void whatWasAcknowledgedIsThereAfterAKill() {
        Run run = run(3);
        run.act(ACTS / 2);
        run.stand().restart();
        run.check();
        run.act(ACTS / 2);
        run.stand().restart();
        run.check();
        assertThat(findings.all()).isEmpty();
    }

    @Test
    void findsWhatWasAcknowledgedAndIsLost() {
        Run run = run(4);
        run.act(ACTS / 2);
        SimulatedDisk earlier = run.stand().copyOfDisk();
        run.act(ACTS / 2);
        run.stand().restart(earlier);
        run.check();
        assertThat(findings.all()).extracting(Findings.Finding::invariant).contains("I1");
        assertThat(findings.all().toString()).contains("was acknowledged, but the World ends with", "not in the log");
    }

    @Test
    void calmUsersDoNothing() {
        Run run = run(5);
        run.act(ACTS);
        run.users().calm();
        run.settle();
        long revision = run.stand().world().revision();
        run.act(20);
        run.settle();
        assertThat(run.stand().world().revision()).isEqualTo(revision);
    }

    @Test
    void inTheEndNothingIsLeftThatUsersCanTakeAway() {
        Run run = run(6);
        run.act(ACTS);
        run.users().deleteEverything();
        run.settle();
        List<String> left = run.users().left(run.stand().world());
        // Nobody is there who takes off the finalizers of Mooring's own, or ends Pods and namespaces.
        assertThat(left)
                .allMatch(key ->
                        key.startsWith("persistentvolume") || key.startsWith("pods/") || key.startsWith("namespaces/"));
        assertThat(run.stand().world().stream(Scope.all())
                        .filter(each -> StoredJson.tree(each)
                                .path("metadata")
                                .path("finalizers")
                                .toString()
                                .contains(Pools.OWN_FINALIZERS)))
                .isEmpty();
    }
}
