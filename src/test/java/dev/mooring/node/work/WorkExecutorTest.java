package dev.mooring.node.work;

import static dev.mooring.node.work.WorkBench.onServer;
import static dev.mooring.node.work.WorkBench.operation;
import static dev.mooring.node.work.WorkBench.provision;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.WorkDone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How work is done: how much at once, for how long, and what a crash, a fault or a change in the middle of it means. */
class WorkExecutorTest {
    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void aCrashBetweenAnyTwoStepsLeavesOneVolumeAndOneOutcome(int steps) {
        WorkBench bench = new WorkBench(provision("a"));
        for (int i = 0; i < steps; i++) {
            bench.step();
        }
        bench.crash();
        bench.settle();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.local.disk).containsExactly("pv-a");
        assertThat(bench.reported).containsExactly("VolumeProvisionSucceeded a");
        assertThat(bench.local.asked).hasSizeBetween(1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void aCrashOfTheOperatorAloneHasNothingDoneTwice(int steps) {
        WorkBench bench = new WorkBench(provision("a"));
        for (int i = 0; i < steps; i++) {
            bench.step();
            bench.crashOperator();
        }
        bench.settle();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.local.asked).hasSize(1);
    }

    @Test
    void whatWasRunningWhenTheProcessDiedIsBegunAgain() {
        String running = provision("a").replace("}}\n", "}, status: {state: Running, attempts: 3}}\n");
        WorkBench bench = new WorkBench(running).settle();
        assertThat(bench.local.asked).hasSize(1);
        assertThat(bench.state("a")).isEqualTo("Succeeded");
    }

    @Test
    void aFaultInAWorkerIsAFailureOfItsOperationAlone() {
        WorkBench bench = new WorkBench(provision("a") + provision("b") + provision("c"));
        bench.local
                .next(work -> {
                    throw new StackOverflowError("deep");
                })
                .next(work -> null);
        bench.settle();
        assertThat(bench.operation("a").errorReason()).isEqualTo("Panic");
        assertThat(bench.operation("a").error()).contains("StackOverflowError: deep");
        assertThat(bench.operation("b").errorReason()).isEqualTo("Panic");
        assertThat(bench.state("c")).isEqualTo("Succeeded");
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.state("b")).isEqualTo("Succeeded");
    }

    @Test
    void namesTheProvisionersItHas() {
        WorkBench bench = new WorkBench(operation("a", "pv-a", "mooring.dev/cloud", "")).settle();
        assertThat(bench.operation("a").errorReason()).isEqualTo("Invalid");
        assertThat(bench.operation("a").error())
                .contains("[mooring.dev/hostpath, mooring.dev/nfs]", "\"mooring.dev/cloud\"");
        assertThat(bench.operation("a").nextTry()).isPresent();
    }

    /** Time passes while the worker works; the worker then sees that it was interrupted, as one that waits for a process does. */
    private static WorkDone late(WorkBench bench, Duration time) throws InterruptedException {
        bench.passWhileWorking(time);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted");
        }
        throw new AssertionError("Expected to be interrupted, but was not");
    }

    @Test
    void whatIsLateIsInterruptedAndHasFailed() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> late(bench, Duration.ofMinutes(2)));
        bench.settle();
        assertThat(bench.operation("a").errorReason()).isEqualTo("Deadline");
        assertThat(bench.operation("a").error()).startsWith("The work was not done within 120 s and was interrupted.");
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.reported).containsExactly("VolumeProvisionFailed a", "VolumeProvisionSucceeded a");
    }

    @Test
    void whatIsInTimeIsNotInterruptedLater() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            bench.passWhileWorking(Duration.ofSeconds(119));
            return bench.local.succeed(work);
        });
        bench.settle();
        bench.pass(Duration.ofMinutes(5));
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.reported).hasSize(1);
    }

    @Test
    void aWorkerThatIgnoresTheInterruptKeepsItsVolumeUntilItReallyEnds() {
        WorkBench bench = new WorkBench(provision("a"));
        List<String> meanwhile = new ArrayList<>();
        bench.local.next(work -> {
            bench.passWhileWorking(Duration.ofMinutes(2));
            // Stuck in the kernel, say. The failure is written down, its wait is over, the next try is due …
            bench.settle();
            bench.pass(Duration.ofSeconds(1));
            meanwhile.add(bench.state("a") + " " + bench.operation("a").errorReason() + " " + bench.threads.size());
            return bench.local.succeed(work);
        });
        bench.settle();
        // … and waits, though the lane has room.
        assertThat(meanwhile).containsExactly("Running Deadline 0");
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.local.asked).hasSize(2);
        assertThat(bench.local.clashes).isEmpty();
        assertThat(bench.reported).containsExactly("VolumeProvisionFailed a", "VolumeProvisionSucceeded a");
    }

    @Test
    void doesFourAtATimeOfItsOwnAndTwoOfAServer() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            yaml.append(provision("local" + i))
                    .append(onServer("on-a" + i, "a"))
                    .append(onServer("on-b" + i, "b"));
        }
        WorkBench bench = new WorkBench(yaml.toString());
        bench.controller().settle();
        assertThat(bench.threads).hasSize(4 + 2 + 2);
        bench.settle();
        assertThat(bench.local.asked).hasSize(6);
        assertThat(bench.nfs.asked).hasSize(12);
    }

    @Test
    void aDeadServerStopsOnlyItsOwn() {
        WorkBench bench = new WorkBench(onServer("a1", "a") + onServer("a2", "a") + onServer("a3", "a"));
        bench.controller().settle();
        assertThat(bench.threads).hasSize(2);
        List<Runnable> hung = List.copyOf(bench.threads);
        bench.threads.clear();
        bench.controller()
                .put(onServer("b1", "b")
                        + provision("c")
                        + operation("b2", "pv-b2", "mooring.dev/nfs", "source: {nfs: {server: b, path: /x}}"));
        bench.settle();
        assertThat(List.of(bench.state("b1"), bench.state("b2"), bench.state("c")))
                .containsOnly("Succeeded");
        assertThat(bench.state("a3")).isEqualTo("Running");
        bench.threads.addAll(hung);
        bench.settle();
        assertThat(List.of(bench.state("a1"), bench.state("a2"), bench.state("a3")))
                .containsOnly("Succeeded");
    }

    @Test
    void aVolumeIsWorkedOnByOneAtATime() {
        WorkBench bench = new WorkBench(provision("a")
                + operation("grow", "pv-a", "mooring.dev/hostpath", "").replace("Provision", "Grow")
                + operation("scrub", "pv-a", "mooring.dev/hostpath", "").replace("Provision", "Scrub"));
        bench.controller().settle();
        for (int done = 1; done <= 3; done++) {
            assertThat(bench.threads).hasSize(1);
            bench.threads.poll().run();
            assertThat(bench.local.asked).hasSize(done);
        }
        bench.settle();
        assertThat(bench.reported).hasSize(3);
    }

    private static void toDelete(WorkBench bench, String status) {
        bench.change("a", object -> {
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
    void whenTheSpecChangesWhileItIsDoneTheNewOneIsDoneToo(String status) {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            toDelete(bench, status);
            bench.controller().settle();
            return bench.local.succeed(work);
        });
        bench.settle();
        assertThat(bench.local.asked)
                .extracting(VolumeWork::work)
                .containsExactly(VolumeOperation.Work.PROVISION, VolumeOperation.Work.DELETE);
        assertThat(bench.local.disk).isEmpty();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.reported).endsWith("VolumeDeleteSucceeded a").doesNotContain("VolumeProvisionSucceeded a");
    }

    @Test
    void whenTheSpecChangesWhileItWaitsForItsTurnOnlyTheNewOneIsDone() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.controller().settle();
        toDelete(bench, "Running");
        bench.settle();
        assertThat(bench.local.asked).extracting(VolumeWork::work).containsExactly(VolumeOperation.Work.DELETE);
    }

    @Test
    void whenTheSpecChangesBetweenTheEndAndItsCommitTheOutcomeIsNotWritten() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.step();
        assertThat(bench.commits).hasSize(1);
        toDelete(bench, "Running");
        bench.settle();
        assertThat(bench.local.disk).isEmpty();
        assertThat(bench.reported).containsExactly("VolumeOperationChanged a", "VolumeDeleteSucceeded a");
    }

    @Test
    void whatIsGoneWhenItEndsIsForgotten() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            bench.controller().remove("volumeoperations.mooring.dev/a");
            return bench.local.succeed(work);
        });
        bench.settle();
        assertThat(bench.reported).isEmpty();
        assertThat(bench.executor().isUnderWay(VolumeOperation.key("a"))).isFalse();
        bench.controller().put(provision("a"));
        assertThat(bench.settle().state("a")).isEqualTo("Succeeded");
        assertThat(bench.local.asked).hasSize(2);
    }

    @Test
    void whatIsGoneBeforeItsTurnIsNotDone() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.controller().settle();
        bench.controller().remove("volumeoperations.mooring.dev/a");
        bench.settle();
        assertThat(bench.local.asked).isEmpty();
    }

    @Test
    void anotherOperationOfTheSameNameDoesNotGetTheOutcome() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            bench.controller().remove("volumeoperations.mooring.dev/a");
            bench.controller()
                    .put(provision("a").replace("{name: a,", "{name: a, uid: other,"))
                    .settle();
            return bench.local.succeed(work);
        });
        bench.settle();
        assertThat(bench.local.asked).hasSize(2);
        assertThat(bench.reported).containsExactly("VolumeProvisionSucceeded a");
    }

    @Test
    void whenTheLedgerRefusesTheOutcomeIsWrittenLaterAndTheWorkNotDoneAgain() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.refusals = 5;
        bench.settle();
        assertThat(bench.state("a")).isEqualTo("Running");
        assertThat(bench.executor().isUnderWay(VolumeOperation.key("a"))).isTrue();
        for (int i = 0; i < 5; i++) {
            bench.pass(Duration.ofSeconds(2));
        }
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.local.asked).hasSize(1);
    }

    @Test
    void changesOfOthersToTheSameObjectDoNotLoseTheOutcome() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.step();
        bench.change(
                "a",
                object -> object.withObject("/metadata").withObject("/labels").put("seen", "yes"));
        bench.settle();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.tree("a").path("metadata").path("labels").path("seen").asText())
                .isEqualTo("yes");
        assertThat(bench.local.asked).hasSize(1);
    }

    @Test
    void startingTwiceOrUponAnOldWorldStartsNothing() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.controller().settle();
        VolumeOperation old = bench.operation("a");
        bench.executor().start(old);
        assertThat(bench.threads).hasSize(1);
        bench.settle();
        // A turn of the loop that had read the World before the outcome was written, and asks only now.
        assertThat(bench.executor().isUnderWay(old.key())).isFalse();
        bench.executor().start(old);
        assertThat(bench.threads).isEmpty();
    }

    @Test
    void whenItIsClosedWhatIsDoneStaysRunningForTheNextProcess() {
        WorkBench bench = new WorkBench(provision("a") + provision("b"));
        bench.local.next(work -> {
            bench.executor().close();
            assertThat(Thread.interrupted()).isTrue();
            throw new InterruptedException();
        });
        bench.settle();
        assertThat(bench.reported).isEmpty();
        assertThat(bench.state("a")).isEqualTo("Running");
        assertThat(bench.state("b")).isEqualTo("Running");
        assertThat(bench.local.asked).hasSize(1);
        bench.crash();
        bench.settle();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.state("b")).isEqualTo("Succeeded");
    }
}
