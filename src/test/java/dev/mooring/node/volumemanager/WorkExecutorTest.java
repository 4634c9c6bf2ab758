package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.WorkFixture.onServer;
import static dev.mooring.node.volumemanager.WorkFixture.operation;
import static dev.mooring.node.volumemanager.WorkFixture.provision;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.volumemanager.VolumeOperationController.RunVolumeOperation;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the executor performs operations: concurrency, deadlines, crashes, failures and changes meanwhile. */
class WorkExecutorTest {
    @AfterEach
    void assertNotInterrupted() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void crash_atAnyStep_leavesOneVolumeAndOneResult(int steps) {
        WorkFixture fixture = new WorkFixture(provision("a"));
        for (int i = 0; i < steps; i++) {
            fixture.step();
        }
        fixture.crash();
        fixture.settle();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.local.disk).containsExactly("pv-a");
        assertThat(fixture.reported).containsExactly("VolumeProvisionSucceeded a");
        assertThat(fixture.local.calls).hasSizeBetween(1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void controllerRestart_atAnyStep_operationIsPerformedOnce(int steps) {
        WorkFixture fixture = new WorkFixture(provision("a"));
        for (int i = 0; i < steps; i++) {
            fixture.step();
            fixture.restartController();
        }
        fixture.settle();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.local.calls).hasSize(1);
    }

    @Test
    void runningOperation_newProcess_isPerformedAgain() {
        String running = provision("a").replace("}}\n", "}, status: {state: Running, attempts: 3}}\n");
        WorkFixture fixture = new WorkFixture(running).settle();
        assertThat(fixture.local.calls).hasSize(1);
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
    }

    @Test
    void worker_throwsError_failsItsOperationOnly() {
        WorkFixture fixture = new WorkFixture(provision("a") + provision("b") + provision("c"));
        fixture.local
                .next(work -> {
                    throw new StackOverflowError("deep");
                })
                .next(work -> null);
        fixture.settle();
        assertThat(fixture.operation("a").errorReason()).isEqualTo("Panic");
        assertThat(fixture.operation("a").error()).contains("StackOverflowError: deep");
        assertThat(fixture.operation("b").errorReason()).isEqualTo("Panic");
        assertThat(fixture.state("c")).isEqualTo("Succeeded");
        fixture.pass(Duration.ofSeconds(1));
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.state("b")).isEqualTo("Succeeded");
    }

    @Test
    void operation_unknownProvisioner_errorNamesKnownOnes() {
        WorkFixture fixture = new WorkFixture(operation("a", "pv-a", "mooring.dev/cloud", "")).settle();
        assertThat(fixture.operation("a").errorReason()).isEqualTo("Invalid");
        assertThat(fixture.operation("a").error())
                .contains("[mooring.dev/hostpath, mooring.dev/nfs]", "\"mooring.dev/cloud\"");
        assertThat(fixture.operation("a").nextTry()).isPresent();
    }

    /** Advances the clock during a call; the worker then sees that it was interrupted. */
    private static VolumeWorkResult exceedDeadline(WorkFixture fixture, Duration time) throws InterruptedException {
        fixture.passWhileWorking(time);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted");
        }
        throw new AssertionError("Expected to be interrupted, but was not");
    }

    @Test
    void operation_exceedsDeadline_isInterruptedAndFails() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> exceedDeadline(fixture, Duration.ofMinutes(2)));
        fixture.settle();
        assertThat(fixture.operation("a").errorReason()).isEqualTo("Deadline");
        assertThat(fixture.operation("a").error())
                .startsWith("The operation did not finish within 120 s and was interrupted.");
        fixture.pass(Duration.ofSeconds(1));
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.reported).containsExactly("VolumeProvisionFailed a", "VolumeProvisionSucceeded a");
    }

    @Test
    void operation_withinDeadline_isNotInterrupted() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            fixture.passWhileWorking(Duration.ofSeconds(119));
            return fixture.local.succeed(work);
        });
        fixture.settle();
        fixture.pass(Duration.ofMinutes(5));
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.reported).hasSize(1);
    }

    @Test
    void worker_ignoresInterrupt_retryWaitsUntilItEnds() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        List<String> observed = new ArrayList<>();
        fixture.local.next(work -> {
            fixture.passWhileWorking(Duration.ofMinutes(2));
            // Stuck in the kernel, for example: the failure is recorded and the retry is due.
            fixture.settle();
            fixture.pass(Duration.ofSeconds(1));
            observed.add(
                    fixture.state("a") + " " + fixture.operation("a").errorReason() + " " + fixture.threads.size());
            return fixture.local.succeed(work);
        });
        fixture.settle();
        // The retry waited, although the worker pool had room.
        assertThat(observed).containsExactly("Running Deadline 0");
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.local.calls).hasSize(2);
        assertThat(fixture.local.concurrentlyUsed).isEmpty();
        assertThat(fixture.reported).containsExactly("VolumeProvisionFailed a", "VolumeProvisionSucceeded a");
    }

    @Test
    void executor_runsFourLocalOperationsAndTwoPerServer() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            yaml.append(provision("local" + i))
                    .append(onServer("on-a" + i, "a"))
                    .append(onServer("on-b" + i, "b"));
        }
        WorkFixture fixture = new WorkFixture(yaml.toString());
        fixture.controller().settle();
        assertThat(fixture.threads).hasSize(4 + 2 + 2);
        fixture.settle();
        assertThat(fixture.local.calls).hasSize(6);
        assertThat(fixture.nfs.calls).hasSize(12);
    }

    @Test
    void hangingServer_blocksItsOwnOperationsOnly() {
        WorkFixture fixture = new WorkFixture(onServer("a1", "a") + onServer("a2", "a") + onServer("a3", "a"));
        fixture.controller().settle();
        assertThat(fixture.threads).hasSize(2);
        List<Runnable> hanging = List.copyOf(fixture.threads);
        fixture.threads.clear();
        fixture.controller()
                .put(onServer("b1", "b")
                        + provision("c")
                        + operation("b2", "pv-b2", "mooring.dev/nfs", "source: {nfs: {server: b, path: /x}}"));
        fixture.settle();
        assertThat(List.of(fixture.state("b1"), fixture.state("b2"), fixture.state("c")))
                .containsOnly("Succeeded");
        assertThat(fixture.state("a3")).isEqualTo("Running");
        fixture.threads.addAll(hanging);
        fixture.settle();
        assertThat(List.of(fixture.state("a1"), fixture.state("a2"), fixture.state("a3")))
                .containsOnly("Succeeded");
    }

    @Test
    void operationsOfOneVolume_runOneAtATime() {
        WorkFixture fixture = new WorkFixture(provision("a")
                + operation("grow", "pv-a", "mooring.dev/hostpath", "").replace("Provision", "Grow")
                + operation("scrub", "pv-a", "mooring.dev/hostpath", "").replace("Provision", "Scrub"));
        fixture.controller().settle();
        for (int done = 1; done <= 3; done++) {
            assertThat(fixture.threads).hasSize(1);
            fixture.threads.poll().run();
            assertThat(fixture.local.calls).hasSize(done);
        }
        fixture.settle();
        assertThat(fixture.reported).hasSize(3);
    }

    private static void changeToDelete(WorkFixture fixture, String status) {
        fixture.change("a", object -> {
            object.withObject("/spec").put("operation", "Delete");
            if (status.isEmpty()) {
                object.remove("status");
            } else {
                object.withObject("/status").put("state", status);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Running", "Pending", ""})
    void specChange_duringOperation_newOneIsPerformedAfterwards(String status) {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            changeToDelete(fixture, status);
            fixture.controller().settle();
            return fixture.local.succeed(work);
        });
        fixture.settle();
        assertThat(fixture.local.calls)
                .extracting(VolumeWork::work)
                .containsExactly(VolumeOperation.OperationType.PROVISION, VolumeOperation.OperationType.DELETE);
        assertThat(fixture.local.disk).isEmpty();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.reported).endsWith("VolumeDeleteSucceeded a").doesNotContain("VolumeProvisionSucceeded a");
    }

    @Test
    void specChange_whileQueued_onlyNewOneIsPerformed() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.controller().settle();
        changeToDelete(fixture, "Running");
        fixture.settle();
        assertThat(fixture.local.calls)
                .extracting(VolumeWork::work)
                .containsExactly(VolumeOperation.OperationType.DELETE);
    }

    @Test
    void specChange_beforeCommitOfResult_dropsResult() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.step();
        assertThat(fixture.commits).hasSize(1);
        changeToDelete(fixture, "Running");
        fixture.settle();
        assertThat(fixture.local.disk).isEmpty();
        assertThat(fixture.reported).containsExactly("VolumeOperationChanged a", "VolumeDeleteSucceeded a");
    }

    @Test
    void operation_deletedWhileRunning_isForgotten() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            fixture.controller().remove("volumeoperations.mooring.dev/a");
            return fixture.local.succeed(work);
        });
        fixture.settle();
        assertThat(fixture.reported).isEmpty();
        assertThat(fixture.executor().pendingOperations()).isZero();
        fixture.controller().put(provision("a"));
        assertThat(fixture.settle().state("a")).isEqualTo("Succeeded");
        assertThat(fixture.local.calls).hasSize(2);
    }

    @Test
    void operation_deletedWhileQueued_isNotPerformed() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.controller().settle();
        fixture.controller().remove("volumeoperations.mooring.dev/a");
        fixture.settle();
        assertThat(fixture.local.calls).isEmpty();
    }

    @Test
    void operation_recreatedWhileRunning_doesNotGetOldResult() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            fixture.controller().remove("volumeoperations.mooring.dev/a");
            fixture.controller()
                    .put(provision("a").replace("{name: a,", "{name: a, uid: other,"))
                    .settle();
            return fixture.local.succeed(work);
        });
        fixture.settle();
        assertThat(fixture.local.calls).hasSize(2);
        assertThat(fixture.reported).containsExactly("VolumeProvisionSucceeded a");
    }

    @Test
    void result_refusedByLedger_isWrittenLaterWithoutRepeatingWork() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.refusals = 5;
        fixture.settle();
        assertThat(fixture.state("a")).isEqualTo("Running");
        assertThat(fixture.executor().pendingOperations()).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            fixture.pass(Duration.ofSeconds(2));
        }
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.local.calls).hasSize(1);
    }

    @Test
    void result_objectChangedMeanwhile_isWritten() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.step();
        fixture.change(
                "a",
                object -> object.withObject("/metadata").withObject("/labels").put("seen", "yes"));
        fixture.settle();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.tree("a")
                        .path("metadata")
                        .path("labels")
                        .path("seen")
                        .asText())
                .isEqualTo("yes");
        assertThat(fixture.local.calls).hasSize(1);
    }

    @Test
    void effect_ofPendingOrEndedOperation_startsNothing() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.controller().settle();
        RunVolumeOperation effect = new RunVolumeOperation(VolumeOperation.key("a"));
        fixture.executor().execute(effect);
        assertThat(fixture.threads).hasSize(1);
        fixture.settle();
        // A reconcile that read the World before the result was written, and starts the operation only now.
        assertThat(fixture.executor().pendingOperations()).isZero();
        fixture.executor().execute(effect);
        assertThat(fixture.threads).isEmpty();
    }

    @Test
    void close_duringOperation_staysRunningForNextProcess() {
        WorkFixture fixture = new WorkFixture(provision("a") + provision("b"));
        fixture.local.next(work -> {
            fixture.executor().close();
            assertThat(Thread.interrupted()).isTrue();
            throw new InterruptedException();
        });
        fixture.settle();
        assertThat(fixture.reported).isEmpty();
        assertThat(fixture.state("a")).isEqualTo("Running");
        assertThat(fixture.state("b")).isEqualTo("Running");
        assertThat(fixture.local.calls).hasSize(1);
        fixture.crash();
        fixture.settle();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.state("b")).isEqualTo("Succeeded");
    }
}
