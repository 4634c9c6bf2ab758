package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodEndingTest extends PlannedPod {
    @Test
    void aDeletedPodEndsItsContainersThenItsSidecarsThenEverythingGoes() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 30";
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}, {name: t, image: busybox,"
                + " restartPolicy: Always}], containers: [{name: c, image: busybox}, {name: d, image: busybox}]";
        has(
                SANDBOX,
                Facts.container("s", 0, State.RUNNING, START),
                Facts.container("t", 0, State.RUNNING, START),
                Facts.container("c", 0, State.RUNNING, START),
                Facts.container("d", 0, State.RUNNING, START));
        assertThat(steps()).containsExactly("stop c in 20", "stop d in 20");

        facts.set(3, Facts.ended("c", 0, 143, START));
        facts.set(4, Facts.ended("d", 0, 143, START));
        assertThat(steps()).containsExactly("stop t in 20");

        facts.set(2, Facts.ended("t", 0, 143, START));
        assertThat(steps()).containsExactly("stop s in 20");

        facts.set(1, Facts.ended("s", 0, 143, START));
        assertThat(steps()).containsExactly("remove id-c-0 id-d-0 id-s-0 id-t-0", "remove id-sandbox-0");
    }

    @Test
    void whatIsBeingEndedIsHastenedWhenItsTimeIsCutShort() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        has(SANDBOX, Facts.container("c", 0, State.RUNNING, START));
        busy.put(Step.Stop.slot("c"), new Busy(Optional.of(START.plusSeconds(30))));
        assertThat(steps()).containsExactly("hasten c");

        busy.put(Step.Stop.slot("c"), new Busy(Optional.of(START.plusSeconds(3))));
        assertThat(steps()).isEmpty();
    }

    @Test
    void nothingOfADeletedPodIsBegunOrRemovedWhileSomethingIsBeingDone() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        has(SANDBOX, Facts.container("c", 0, State.CREATED, START));
        busy.put(Step.slot("c"), new Busy(Optional.empty()));
        assertThat(steps()).isEmpty();

        busy.clear();
        assertThat(steps()).containsExactly("remove id-c-0", "remove id-sandbox-0");
    }

    @Test
    void aFinishedPodKeepsItsContainersForTheirLogs() {
        status = "{phase: Succeeded}";
        spec = "restartPolicy: Never, " + spec;
        has(SANDBOX, Facts.ended("c", 0, 0, START));

        assertThat(steps()).containsExactly("remove id-sandbox-0");
    }

    @Test
    void aPodThatIsActiveTooLongFails() {
        spec = "activeDeadlineSeconds: 10, " + spec;
        status = "{startTime: '2026-01-01T00:00:00Z'}";
        has(SANDBOX, Facts.container("c", 0, State.RUNNING, START));
        PodPlan plan = plan();
        assertThat(plan.failure()).isEmpty();
        assertThat(plan.next()).contains(START.plusSeconds(10));

        now = START.plusSeconds(10);
        assertThat(plan().failure().orElseThrow().reason()).isEqualTo("DeadlineExceeded");
        assertThat(steps()).containsExactly("stop c in 40");
    }
}
