package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.node.image.ImageState;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodPlannerTest extends PlannedPod {
    @Test
    void beginsWithTheSandboxEvenWhileVolumesAreMissing() {
        missing.put("data", "no such server");

        assertThat(steps()).containsExactly("sandbox #0");
        assertThat(plan().waiting("c"))
                .contains(
                        new ContainerSight.Waiting("ContainerCreating", "waiting for volume \"data\": no such server"));
    }

    @Test
    void makesAContainerWhileTheSandboxStarts() {
        has(Facts.sandbox(0, State.CREATED, START));
        busy.put(Step.SANDBOX, new Busy(Optional.empty()));

        assertThat(steps()).containsExactly("make c#0 after 0");
    }

    @Test
    void makesNoContainerThatNeedsTheAddressBeforeThereIsOne() {
        needsAddress = true;
        has(Facts.sandbox(0, State.CREATED, START));
        busy.put(Step.SANDBOX, new Busy(Optional.empty()));
        assertThat(steps()).isEmpty();

        facts.clear();
        busy.clear();
        has(SANDBOX);
        assertThat(steps()).containsExactly("make c#0 after 0");
    }

    @Test
    void makesAndStartsNothingWhileAVolumeIsMissing() {
        missing.put("data", "");
        has(SANDBOX);
        assertThat(steps()).isEmpty();

        has(Facts.container("c", 0, State.CREATED, START));
        assertThat(steps()).isEmpty();
        assertThat(waiting("c")).isEqualTo("ContainerCreating");
    }

    @Test
    void startsWhatIsMadeOnceTheSandboxRuns() {
        has(Facts.sandbox(0, State.CREATED, START), Facts.container("c", 0, State.CREATED, START));
        assertThat(steps()).containsExactly("sandbox #0");

        facts.set(0, SANDBOX);
        assertThat(steps()).containsExactly("start c#0");
    }

    @Test
    void doesNothingAboutWhatRuns() {
        has(SANDBOX, Facts.container("c", 0, State.RUNNING, START));

        PodPlan plan = plan();

        assertThat(plan.steps()).isEmpty();
        assertThat(plan.next()).isEmpty();
        assertThat(plan.waiting("c")).isEmpty();
    }

    @Test
    void beginsNothingWhereSomethingIsBeingDone() {
        has(SANDBOX);
        busy.put(Step.slot("c"), new Busy(Optional.empty()));

        assertThat(steps()).isEmpty();
    }

    @Test
    void theFirstRestartIsAtOnceTheNextOnesWait() {
        has(SANDBOX, Facts.ended("c", 0, 1, START));
        assertThat(steps()).containsExactly("make c#1 after 1");

        has(Facts.ended("c", 1, 1, START));
        PodPlan plan = plan();
        assertThat(plan.steps()).isEmpty();
        assertThat(plan.next()).contains(START.plusSeconds(11));
        assertThat(plan.waiting("c"))
                .contains(new ContainerSight.Waiting(
                        "CrashLoopBackOff", "back-off 10s restarting failed container=c pod=p_default(uid-p)"));

        now = START.plusSeconds(11);
        assertThat(steps()).containsExactly("make c#2 after 2");
    }

    @Test
    void aContainerThatRanLongBeginsAsIfItWereTheFirst() {
        ContainerFacts brief = Facts.ended("c", 4, 1, START);
        has(
                SANDBOX,
                new ContainerFacts(
                        brief.id(),
                        brief.name(),
                        brief.image(),
                        brief.imageId(),
                        brief.labels(),
                        brief.state(),
                        START,
                        Optional.of(START),
                        Optional.of(START.plusSeconds(600)),
                        1,
                        false,
                        "",
                        ""));
        now = START.plusSeconds(600);

        assertThat(steps()).containsExactly("make c#5 after 1");
    }

    @Test
    void whatCouldNotBeStartedHasEndedToo() {
        has(SANDBOX, Facts.unstartable("c", 3, START));

        assertThat(waiting("c")).isEqualTo("CrashLoopBackOff");
    }

    @Test
    void restartPolicyDecidesWhatRunsAgain() {
        has(SANDBOX, Facts.ended("c", 0, 0, START));
        assertThat(steps()).containsExactly("make c#1 after 1");

        spec = "restartPolicy: OnFailure, containers: [{name: c, image: busybox}]";
        assertThat(steps()).isEmpty();
        facts.set(1, Facts.ended("c", 0, 2, START));
        assertThat(steps()).containsExactly("make c#1 after 1");

        spec = "restartPolicy: Never, containers: [{name: c, image: busybox}]";
        assertThat(steps()).isEmpty();
    }

    @Test
    void whatEndedIsNotRunAgainBecauseSomebodyRemovedIt() {
        spec = "restartPolicy: Never, containers: [{name: c, image: busybox}]";
        status = "{containerStatuses: [{name: c, restartCount: 0, state: {terminated: {exitCode: 0}}}]}";
        has(SANDBOX);

        assertThat(steps()).isEmpty();
    }

    @Test
    void whatRanAndIsGoneCountsAsEnded() {
        status = "{containerStatuses: [{name: c, restartCount: 2, state: {running: {startedAt:"
                + " '2026-01-01T00:00:00Z'}}}]}";
        now = START.plusSeconds(60);
        has(SANDBOX);

        PodPlan plan = plan();
        assertThat(steps(plan)).isEmpty();
        assertThat(plan.waiting("c").orElseThrow().reason()).isEqualTo("CrashLoopBackOff");

        status = status.replace("restartCount: 2", "restartCount: 0");
        assertThat(steps()).containsExactly("make c#1 after 1");
    }

    @Test
    void initContainersRunOneAfterAnother() {
        spec = "initContainers: [{name: a, image: busybox}, {name: b, image: busybox}], containers: [{name: c, image:"
                + " busybox}]";
        has(SANDBOX);
        assertThat(steps()).containsExactly("make a#0 after 0");
        assertThat(waiting("b")).isEqualTo("PodInitializing");
        assertThat(waiting("c")).isEqualTo("PodInitializing");

        has(Facts.container("a", 0, State.RUNNING, START));
        assertThat(steps()).isEmpty();

        facts.set(1, Facts.ended("a", 0, 0, START));
        assertThat(steps()).containsExactly("make b#0 after 0");

        has(Facts.ended("b", 0, 0, START));
        assertThat(steps()).containsExactly("make c#0 after 0");
    }

    @Test
    void aFailedInitContainerIsTriedAgainUnlessThePodForbidsIt() {
        spec = "initContainers: [{name: a, image: busybox}], containers: [{name: c, image: busybox}]";
        has(SANDBOX, Facts.ended("a", 0, 1, START));
        assertThat(steps()).containsExactly("make a#1 after 1");

        spec = "restartPolicy: Never, " + spec;
        assertThat(steps()).isEmpty();
    }

    @Test
    void aSidecarMustBeUpBeforeTheNextOne() {
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}], containers: [{name: c, image:"
                + " busybox}]";
        has(SANDBOX, Facts.container("s", 0, State.RUNNING, START));
        verdict = new Verdict(false, false, Optional.empty());
        assertThat(steps()).isEmpty();

        verdict = new Verdict(true, false, Optional.empty());
        assertThat(steps()).containsExactly("make c#0 after 0");
    }

    @Test
    void aSidecarIsBegunAnewWhileTheOthersRunAndEndedWhenTheyHave() {
        spec = "restartPolicy: Never, initContainers: [{name: s, image: busybox, restartPolicy: Always}],"
                + " containers: [{name: c, image: busybox}]";
        has(SANDBOX, Facts.ended("s", 0, 0, START), Facts.container("c", 0, State.RUNNING, START));
        assertThat(steps()).containsExactly("make s#1 after 1");

        facts.clear();
        has(SANDBOX, Facts.container("s", 0, State.RUNNING, START), Facts.ended("c", 0, 0, START));
        assertThat(steps()).containsExactly("stop s in 32");
    }

    @Test
    void whenTheSandboxIsGoneEverythingBeginsAnewInIt() {
        spec = "initContainers: [{name: a, image: busybox}], containers: [{name: c, image: busybox}]";
        ContainerFacts init = Facts.in("id-sandbox-0", Facts.ended("a", 0, 0, START));
        ContainerFacts running = Facts.in("id-sandbox-0", Facts.container("c", 0, State.RUNNING, START));
        has(Facts.sandbox(0, State.EXITED, START), init, running);
        assertThat(steps()).containsExactly("stop c in 32");

        facts.set(2, Facts.in("id-sandbox-0", Facts.ended("c", 0, 137, START)));
        assertThat(steps()).containsExactly("sandbox #1");

        has(Facts.sandbox(1, State.RUNNING, START.plusSeconds(1)));
        assertThat(steps()).containsExactlyInAnyOrder("make a#1 after 1", "remove id-sandbox-0");

        // Whatever the clock showed when it was made.
        has(Facts.in("id-sandbox-1", Facts.ended("a", 1, 0, START.minusSeconds(7200))));
        assertThat(steps()).containsExactlyInAnyOrder("make c#1 after 1", "remove id-sandbox-0");
    }

    @Test
    void aContainerThatIsNotWellOrNotWhatIsAskedForIsEnded() {
        has(SANDBOX, Facts.container("c", 0, State.RUNNING, START));
        verdict = new Verdict(true, false, Optional.of("liveness"));
        assertThat(steps()).containsExactly("stop c in 32: failed liveness probe");

        spec = "containers: [{name: c, image: busybox, livenessProbe: {terminationGracePeriodSeconds: 5}}]";
        assertThat(steps()).containsExactly("stop c in 7: failed liveness probe");

        verdict = new Verdict(true, true, Optional.empty());
        spec = "containers: [{name: c, image: newer}]";
        assertThat(steps()).containsExactly("stop c in 32: definition changed");
    }

    @Test
    void anImageThatCannotBeHadIsWaitedFor() {
        has(SANDBOX);
        image = new ImageState.Coming();
        assertThat(steps()).isEmpty();
        assertThat(waiting("c")).isEqualTo("ContainerCreating");

        image = new ImageState.Failed("ImagePullBackOff", "Back-off", now.plusSeconds(9));
        assertThat(waiting("c")).isEqualTo("ImagePullBackOff");
        assertThat(plan().next()).contains(now.plusSeconds(9));
    }

    @Test
    void troubleIsToldAndTriedAgainInItsTime() {
        has(SANDBOX);
        troubles.put(
                Step.slot("c"),
                new Trouble("CreateContainerConfigError", "configmap \"a\" not found", 1, now.plusSeconds(1)));
        assertThat(steps()).isEmpty();
        assertThat(waiting("c")).isEqualTo("CreateContainerConfigError");
        assertThat(plan().next()).contains(now.plusSeconds(1));

        now = now.plusSeconds(1);
        assertThat(steps()).containsExactly("make c#0 after 0");
    }

    @Test
    void olderAttemptsAreRemoved() {
        has(
                SANDBOX,
                Facts.ended("c", 0, 1, START),
                Facts.ended("c", 1, 1, START),
                Facts.container("c", 2, State.RUNNING, START));

        assertThat(steps()).containsExactly("remove id-c-0");
    }
}
