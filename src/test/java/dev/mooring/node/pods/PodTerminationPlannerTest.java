package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodTerminationPlannerTest extends PodPlannerFixture {
    @Test
    void deletedPod_stopsContainersThenSidecarsThenRemovesAll() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 30";
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}, {name: t, image: busybox,"
                + " restartPolicy: Always}], containers: [{name: c, image: busybox}, {name: d, image: busybox}]";
        addContainers(
                SANDBOX,
                ContainerFactsFixture.container("s", 0, State.RUNNING, START),
                ContainerFactsFixture.container("t", 0, State.RUNNING, START),
                ContainerFactsFixture.container("c", 0, State.RUNNING, START),
                ContainerFactsFixture.container("d", 0, State.RUNNING, START));
        assertThat(plannedActions()).containsExactly("stop c in 20", "stop d in 20");

        facts.set(3, ContainerFactsFixture.ended("c", 0, 143, START));
        facts.set(4, ContainerFactsFixture.ended("d", 0, 143, START));
        assertThat(plannedActions()).containsExactly("stop t in 20");

        facts.set(2, ContainerFactsFixture.ended("t", 0, 143, START));
        assertThat(plannedActions()).containsExactly("stop s in 20");

        facts.set(1, ContainerFactsFixture.ended("s", 0, 143, START));
        assertThat(plannedActions()).containsExactly("remove id-c-0 id-d-0 id-s-0 id-t-0", "remove id-sandbox-0");
    }

    @Test
    void stoppingContainer_gracePeriodShortened_getsLessTime() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        addContainers(SANDBOX, ContainerFactsFixture.container("c", 0, State.RUNNING, START));
        busy.put(PodAction.StopContainer.slot("c"), new ActionInProgress(Optional.of(START.plusSeconds(30))));
        assertThat(plannedActions()).containsExactly("shorten grace of c");

        busy.put(PodAction.StopContainer.slot("c"), new ActionInProgress(Optional.of(START.plusSeconds(3))));
        assertThat(plannedActions()).isEmpty();
    }

    @Test
    void deletedPod_actionInProgress_getsNoOtherAction() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        addContainers(SANDBOX, ContainerFactsFixture.container("c", 0, State.CREATED, START));
        busy.put(PodAction.slot("c"), new ActionInProgress(Optional.empty()));
        assertThat(plannedActions()).isEmpty();

        busy.clear();
        assertThat(plannedActions()).containsExactly("remove id-c-0", "remove id-sandbox-0");
    }

    @Test
    void finishedPod_keepsContainersForTheirLogs() {
        status = "{phase: Succeeded}";
        spec = "restartPolicy: Never, " + spec;
        addContainers(SANDBOX, ContainerFactsFixture.ended("c", 0, 0, START));

        assertThat(plannedActions()).containsExactly("remove id-sandbox-0");
    }

    @Test
    void pod_activeDeadlineExceeded_fails() {
        spec = "activeDeadlineSeconds: 10, " + spec;
        status = "{startTime: '2026-01-01T00:00:00Z'}";
        addContainers(SANDBOX, ContainerFactsFixture.container("c", 0, State.RUNNING, START));
        PodPlan plan = plan();
        assertThat(plan.failure()).isEmpty();
        assertThat(plan.next()).contains(START.plusSeconds(10));

        now = START.plusSeconds(10);
        assertThat(plan().failure().orElseThrow().reason()).isEqualTo("DeadlineExceeded");
        assertThat(plannedActions()).containsExactly("stop c in 40");
    }
}
