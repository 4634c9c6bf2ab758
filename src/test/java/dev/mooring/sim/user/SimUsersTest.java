package dev.mooring.sim.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Scope;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.testing.SimulatedDisk;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SimUsersTest {
    private static final int STEPS = 300;

    private final InvariantViolations violations = new InvariantViolations();
    private final Coverage coverage = new Coverage();

    private record UserRun(DeterministicScheduler scheduler, SimServerFixture fixture, SimUsers users) {
        void step(int times) {
            for (int i = 0; i < times; i++) {
                users.step();
                for (int steps = 0; steps < 6; steps++) {
                    scheduler.step();
                }
            }
        }

        void settle() {
            scheduler.run(Duration.ofMinutes(2));
        }

        void check() {
            users.acks()
                    .check(
                            fixture.world(),
                            fixture.api().orElseThrow().stateStore().log());
        }
    }

    private UserRun run(long seed) {
        DeterministicScheduler scheduler = new DeterministicScheduler(seed);
        SimServerFixture fixture = new SimServerFixture(scheduler, seed);
        return new UserRun(
                scheduler, fixture, new SimUsers(scheduler, new Random(seed), fixture::api, violations, coverage));
    }

    @Test
    void sameSeed_runTwice_givesSameHistory() {
        UserRun one = run(7);
        one.step(STEPS);
        one.settle();
        UserRun other = run(7);
        other.step(STEPS);
        other.settle();
        assertThat(one.users().acks().history()).isEqualTo(other.users().acks().history());
        assertThat(one.fixture().world()).isEqualTo(other.fixture().world());
        assertThat(one.scheduler().trace()).isEqualTo(other.scheduler().trace());
    }

    @Test
    void differentSeeds_giveDifferentHistories() {
        UserRun one = run(1);
        one.step(STEPS);
        UserRun other = run(2);
        other.step(STEPS);
        assertThat(one.users().acks().history())
                .isNotEqualTo(other.users().acks().history());
    }

    @Test
    void users_withoutFaults_writesMostlySucceedAndAreInTheLog() {
        for (long seed = 0; seed < 5; seed++) {
            UserRun run = run(seed);
            run.step(STEPS);
            run.settle();
            run.check();
            AcknowledgedWrites acks = run.users().acks();
            assertThat(violations.all()).as("seed %s", seed).isEmpty();
            assertThat(acks.successes())
                    .as("seed %s: of %s, %s", seed, acks.answers(), coverage.hits())
                    .isGreaterThan(acks.answers() * 40 / 100);
        }
    }

    @Test
    void users_fiveRuns_performAllKindsOfActions() {
        for (long seed = 0; seed < 5; seed++) {
            UserRun run = run(seed);
            run.step(STEPS);
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
                        "user replaces object after a read",
                        "user applies ConfigMap",
                        "user adds a finalizer",
                        "user removes its finalizer",
                        "user edits status of PVC");
        assertThat(coverage.hits().get("user replaces object after a read")).containsKeys("done", "409 Conflict");
    }

    @Test
    void acknowledgedWrites_serverKilled_areStillThere() {
        UserRun run = run(3);
        run.step(STEPS / 2);
        run.fixture().restart();
        run.check();
        run.step(STEPS / 2);
        run.fixture().restart();
        run.check();
        assertThat(violations.all()).isEmpty();
    }

    @Test
    void acknowledgedWrites_lostByRestart_reportI1() {
        UserRun run = run(4);
        run.step(STEPS / 2);
        SimulatedDisk earlier = run.fixture().copyOfDisk();
        run.step(STEPS / 2);
        run.fixture().restart(earlier);
        run.check();
        assertThat(violations.all())
                .extracting(InvariantViolations.InvariantViolation::invariant)
                .contains("I1");
        assertThat(violations.all().toString()).contains("was acknowledged, but the World ends with", "not in the log");
    }

    @Test
    void users_stopped_sendNoRequests() {
        UserRun run = run(5);
        run.step(STEPS);
        run.users().stop();
        run.settle();
        long revision = run.fixture().world().revision();
        run.step(20);
        run.settle();
        assertThat(run.fixture().world().revision()).isEqualTo(revision);
    }

    @Test
    void deleteEverything_withoutControllers_removesUserObjectsAndFinalizers() {
        UserRun run = run(6);
        run.step(STEPS);
        run.users().deleteEverything();
        run.settle();
        List<String> left = run.users().left(run.fixture().world());
        // There are no controllers to remove Mooring's finalizers or to end Pods and namespaces.
        assertThat(left)
                .allMatch(key ->
                        key.startsWith("persistentvolume") || key.startsWith("pods/") || key.startsWith("namespaces/"));
        assertThat(run.fixture().world().stream(Scope.all())
                        .filter(each -> each.toTree()
                                .path("metadata")
                                .path("finalizers")
                                .toString()
                                .contains(NamePools.OWN_FINALIZERS)))
                .isEmpty();
    }
}
