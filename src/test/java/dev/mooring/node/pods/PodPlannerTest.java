package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodPlannerTest extends PodPlannerFixture {
    @Test
    void sandbox_volumesMissing_isStarted() {
        missing.put("data", "no such server");

        assertThat(plannedActions()).containsExactly("sandbox #0");
        assertThat(plan().waiting("c"))
                .contains(new ObservedContainer.Waiting(
                        "ContainerCreating", "waiting for volume \"data\": no such server"));
    }

    @Test
    void container_sandboxStarting_isCreated() {
        addContainers(ContainerFactsFixture.sandbox(0, State.CREATED, START));
        busy.put(PodAction.SANDBOX, new ActionInProgress(Optional.empty()));

        assertThat(plannedActions()).containsExactly("create c#0 after 0");
    }

    @Test
    void containerThatNeedsPodIp_isCreatedWhenSandboxRuns() {
        needsAddress = true;
        addContainers(ContainerFactsFixture.sandbox(0, State.CREATED, START));
        busy.put(PodAction.SANDBOX, new ActionInProgress(Optional.empty()));
        assertThat(plannedActions()).isEmpty();

        facts.clear();
        busy.clear();
        addContainers(SANDBOX);
        assertThat(plannedActions()).containsExactly("create c#0 after 0");
    }

    @Test
    void container_volumeMissing_isNeitherCreatedNorStarted() {
        missing.put("data", "");
        addContainers(SANDBOX);
        assertThat(plannedActions()).isEmpty();

        addContainers(ContainerFactsFixture.container("c", 0, State.CREATED, START));
        assertThat(plannedActions()).isEmpty();
        assertThat(waiting("c")).isEqualTo("ContainerCreating");
    }

    @Test
    void createdContainer_sandboxRuns_isStarted() {
        addContainers(
                ContainerFactsFixture.sandbox(0, State.CREATED, START),
                ContainerFactsFixture.container("c", 0, State.CREATED, START));
        assertThat(plannedActions()).containsExactly("sandbox #0");

        facts.set(0, SANDBOX);
        assertThat(plannedActions()).containsExactly("start c#0");
    }

    @Test
    void runningContainer_needsNoAction() {
        addContainers(SANDBOX, ContainerFactsFixture.container("c", 0, State.RUNNING, START));

        PodPlan plan = plan();

        assertThat(plan.actions()).isEmpty();
        assertThat(plan.next()).isEmpty();
        assertThat(plan.waiting("c")).isEmpty();
    }

    @Test
    void container_actionInProgress_getsNoOtherAction() {
        addContainers(SANDBOX);
        busy.put(PodAction.slot("c"), new ActionInProgress(Optional.empty()));

        assertThat(plannedActions()).isEmpty();
    }

    @Test
    void endedContainer_firstRestartIsImmediateLaterOnesBackOff() {
        addContainers(SANDBOX, ContainerFactsFixture.ended("c", 0, 1, START));
        assertThat(plannedActions()).containsExactly("create c#1 after 1");

        addContainers(ContainerFactsFixture.ended("c", 1, 1, START));
        PodPlan plan = plan();
        assertThat(plan.actions()).isEmpty();
        assertThat(plan.next()).contains(START.plusSeconds(11));
        assertThat(plan.waiting("c"))
                .contains(new ObservedContainer.Waiting(
                        "CrashLoopBackOff", "back-off 10s restarting failed container=c pod=p_default(uid-p)"));

        now = START.plusSeconds(11);
        assertThat(plannedActions()).containsExactly("create c#2 after 2");
    }

    @Test
    void endedContainer_ranLong_restartsWithoutBackOff() {
        ContainerFacts ended = ContainerFactsFixture.ended("c", 4, 1, START);
        addContainers(
                SANDBOX,
                new ContainerFacts(
                        ended.id(),
                        ended.name(),
                        ended.image(),
                        ended.imageId(),
                        ended.labels(),
                        ended.state(),
                        START,
                        Optional.of(START),
                        Optional.of(START.plusSeconds(600)),
                        1,
                        false,
                        "",
                        ""));
        now = START.plusSeconds(600);

        assertThat(plannedActions()).containsExactly("create c#5 after 1");
    }

    @Test
    void container_startFailed_waitsInCrashLoopBackOff() {
        addContainers(SANDBOX, ContainerFactsFixture.unstartable("c", 3, START));

        assertThat(waiting("c")).isEqualTo("CrashLoopBackOff");
    }

    @Test
    void endedContainer_isRestartedAsRestartPolicyRequires() {
        addContainers(SANDBOX, ContainerFactsFixture.ended("c", 0, 0, START));
        assertThat(plannedActions()).containsExactly("create c#1 after 1");

        spec = "restartPolicy: OnFailure, containers: [{name: c, image: busybox}]";
        assertThat(plannedActions()).isEmpty();
        facts.set(1, ContainerFactsFixture.ended("c", 0, 2, START));
        assertThat(plannedActions()).containsExactly("create c#1 after 1");

        spec = "restartPolicy: Never, containers: [{name: c, image: busybox}]";
        assertThat(plannedActions()).isEmpty();
    }

    @Test
    void endedContainer_removedExternally_isNotRestarted() {
        spec = "restartPolicy: Never, containers: [{name: c, image: busybox}]";
        status = "{containerStatuses: [{name: c, restartCount: 0, state: {terminated: {exitCode: 0}}}]}";
        addContainers(SANDBOX);

        assertThat(plannedActions()).isEmpty();
    }

    @Test
    void runningContainer_removedExternally_countsAsEnded() {
        status = "{containerStatuses: [{name: c, restartCount: 2, state: {running: {startedAt:"
                + " '2026-01-01T00:00:00Z'}}}]}";
        now = START.plusSeconds(60);
        addContainers(SANDBOX);

        PodPlan plan = plan();
        assertThat(plannedActions(plan)).isEmpty();
        assertThat(plan.waiting("c").orElseThrow().reason()).isEqualTo("CrashLoopBackOff");

        status = status.replace("restartCount: 2", "restartCount: 0");
        assertThat(plannedActions()).containsExactly("create c#1 after 1");
    }

    @Test
    void initContainers_runOneAfterAnother() {
        spec = "initContainers: [{name: a, image: busybox}, {name: b, image: busybox}], containers: [{name: c, image:"
                + " busybox}]";
        addContainers(SANDBOX);
        assertThat(plannedActions()).containsExactly("create a#0 after 0");
        assertThat(waiting("b")).isEqualTo("PodInitializing");
        assertThat(waiting("c")).isEqualTo("PodInitializing");

        addContainers(ContainerFactsFixture.container("a", 0, State.RUNNING, START));
        assertThat(plannedActions()).isEmpty();

        facts.set(1, ContainerFactsFixture.ended("a", 0, 0, START));
        assertThat(plannedActions()).containsExactly("create b#0 after 0");

        addContainers(ContainerFactsFixture.ended("b", 0, 0, START));
        assertThat(plannedActions()).containsExactly("create c#0 after 0");
    }

    @Test
    void failedInitContainer_isRestartedUnlessPolicyNever() {
        spec = "initContainers: [{name: a, image: busybox}], containers: [{name: c, image: busybox}]";
        addContainers(SANDBOX, ContainerFactsFixture.ended("a", 0, 1, START));
        assertThat(plannedActions()).containsExactly("create a#1 after 1");

        spec = "restartPolicy: Never, " + spec;
        assertThat(plannedActions()).isEmpty();
    }

    @Test
    void sidecar_notStarted_blocksNextContainer() {
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}], containers: [{name: c, image:"
                + " busybox}]";
        addContainers(SANDBOX, ContainerFactsFixture.container("s", 0, State.RUNNING, START));
        probeStatus = new ProbeManager.ProbeStatus(false, false, Optional.empty());
        assertThat(plannedActions()).isEmpty();

        probeStatus = new ProbeManager.ProbeStatus(true, false, Optional.empty());
        assertThat(plannedActions()).containsExactly("create c#0 after 0");
    }

    @Test
    void sidecar_isRestartedWhileContainersRunAndStoppedAfterwards() {
        spec = "restartPolicy: Never, initContainers: [{name: s, image: busybox, restartPolicy: Always}],"
                + " containers: [{name: c, image: busybox}]";
        addContainers(
                SANDBOX,
                ContainerFactsFixture.ended("s", 0, 0, START),
                ContainerFactsFixture.container("c", 0, State.RUNNING, START));
        assertThat(plannedActions()).containsExactly("create s#1 after 1");

        facts.clear();
        addContainers(
                SANDBOX,
                ContainerFactsFixture.container("s", 0, State.RUNNING, START),
                ContainerFactsFixture.ended("c", 0, 0, START));
        assertThat(plannedActions()).containsExactly("stop s in 32");
    }

    @Test
    void sandbox_exited_allContainersAreRecreated() {
        spec = "initContainers: [{name: a, image: busybox}], containers: [{name: c, image: busybox}]";
        ContainerFacts init = ContainerFactsFixture.in("id-sandbox-0", ContainerFactsFixture.ended("a", 0, 0, START));
        ContainerFacts running =
                ContainerFactsFixture.in("id-sandbox-0", ContainerFactsFixture.container("c", 0, State.RUNNING, START));
        addContainers(ContainerFactsFixture.sandbox(0, State.EXITED, START), init, running);
        assertThat(plannedActions()).containsExactly("stop c in 32");

        facts.set(2, ContainerFactsFixture.in("id-sandbox-0", ContainerFactsFixture.ended("c", 0, 137, START)));
        assertThat(plannedActions()).containsExactly("sandbox #1");

        addContainers(ContainerFactsFixture.sandbox(1, State.RUNNING, START.plusSeconds(1)));
        assertThat(plannedActions()).containsExactlyInAnyOrder("create a#1 after 1", "remove id-sandbox-0");

        // The creation time does not matter: the clock may have been set back.
        addContainers(ContainerFactsFixture.in(
                "id-sandbox-1", ContainerFactsFixture.ended("a", 1, 0, START.minusSeconds(7200))));
        assertThat(plannedActions()).containsExactlyInAnyOrder("create c#1 after 1", "remove id-sandbox-0");
    }

    @Test
    void container_failedProbeOrChangedDefinition_isStopped() {
        addContainers(SANDBOX, ContainerFactsFixture.container("c", 0, State.RUNNING, START));
        probeStatus = new ProbeManager.ProbeStatus(true, false, Optional.of("liveness"));
        assertThat(plannedActions()).containsExactly("stop c in 32: failed liveness probe");

        spec = "containers: [{name: c, image: busybox, livenessProbe: {terminationGracePeriodSeconds: 5}}]";
        assertThat(plannedActions()).containsExactly("stop c in 7: failed liveness probe");

        probeStatus = new ProbeManager.ProbeStatus(true, true, Optional.empty());
        spec = "containers: [{name: c, image: newer}]";
        assertThat(plannedActions()).containsExactly("stop c in 32: definition changed");
    }

    @Test
    void container_imageNotPresent_waits() {
        addContainers(SANDBOX);
        image = new ImageState.Pending();
        assertThat(plannedActions()).isEmpty();
        assertThat(waiting("c")).isEqualTo("ContainerCreating");

        image = new ImageState.Failed("ImagePullBackOff", "Back-off", now.plusSeconds(9));
        assertThat(waiting("c")).isEqualTo("ImagePullBackOff");
        assertThat(plan().next()).contains(now.plusSeconds(9));
    }

    @Test
    void failedAction_isReportedAndRetriedAfterBackOff() {
        addContainers(SANDBOX);
        failures.put(
                PodAction.slot("c"),
                new PodActionFailure("CreateContainerConfigError", "configmap \"a\" not found", 1, now.plusSeconds(1)));
        assertThat(plannedActions()).isEmpty();
        assertThat(waiting("c")).isEqualTo("CreateContainerConfigError");
        assertThat(plan().next()).contains(now.plusSeconds(1));

        now = now.plusSeconds(1);
        assertThat(plannedActions()).containsExactly("create c#0 after 0");
    }

    @Test
    void oldAttempts_exceptTheLast_areRemoved() {
        addContainers(
                SANDBOX,
                ContainerFactsFixture.ended("c", 0, 1, START),
                ContainerFactsFixture.ended("c", 1, 1, START),
                ContainerFactsFixture.container("c", 2, State.RUNNING, START));

        assertThat(plannedActions()).containsExactly("remove id-c-0");
    }
}
