package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.Pod;
import dev.mooring.node.image.ImageState;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.pod.ContainerBook.Page;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is decided about a Pod, for every way it can stand. Steps are written as {@code verb what#attempt}. */
class PodPlannerTest {
    private static final Instant START = Facts.START;
    private static final ContainerFacts SANDBOX = Facts.sandbox(0, State.RUNNING, START);

    private String spec = "containers: [{name: c, image: busybox}]";
    private String metadata = "";
    private String status = "{}";
    private final List<ContainerFacts> facts = new ArrayList<>();
    private final Map<String, Busy> busy = new HashMap<>();
    private final Map<String, Trouble> troubles = new HashMap<>();
    private final Map<String, String> missing = new HashMap<>();
    private Instant now = START.plusSeconds(2);
    private ImageState image = new ImageState.Present(new ImageFacts("sha256:1", List.of(), 1, ""));
    private Verdict verdict = new Verdict(true, true, Optional.empty());
    private boolean needsAddress;

    private PodPlan plan() {
        World world = Worlds.of("{kind: Pod, metadata: {name: p, namespace: default" + metadata
                + "}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30, " + spec + "}, status: " + status + "}");
        Pod pod = Pod.of(world.get(Pod.key("default", "p")).orElseThrow());
        Map<String, List<ContainerFacts>> containers = new HashMap<>();
        List<ContainerFacts> sandboxes = new ArrayList<>();
        for (ContainerFacts each : facts) {
            if (each.whose().container().isEmpty()) {
                sandboxes.add(0, each);
            } else {
                containers.computeIfAbsent(each.whose().container(), name -> new ArrayList<>()).add(0, each);
            }
        }
        return PodPlanner.plan(new PodLook(
                pod,
                new Page(sandboxes, containers, busy, troubles),
                new VolumeReadiness(List.of(), missing, Map.of()),
                new Outside(),
                now));
    }

    private final class Outside implements PodLook.Outside {
        @Override
        public ImageState image(JsonNode spec) {
            return image;
        }

        @Override
        public Verdict verdict(JsonNode spec, String containerId) {
            return verdict;
        }

        @Override
        public Optional<Duration> grace(JsonNode spec, String probe) {
            return spec.path("livenessProbe").isObject() ? Optional.of(Duration.ofSeconds(5)) : Optional.empty();
        }

        @Override
        public String hash(JsonNode spec) {
            return spec.path("image").asText().equals("busybox") ? "hash" : "another";
        }

        @Override
        public boolean needsAddress(JsonNode spec) {
            return needsAddress;
        }
    }

    private List<String> steps() {
        return steps(plan());
    }

    private static List<String> steps(PodPlan plan) {
        return plan.steps().stream().map(PodPlannerTest::text).toList();
    }

    private static String text(Step step) {
        if (step instanceof Step.BeginSandbox sandbox) {
            return "sandbox #" + sandbox.attempt();
        }
        if (step instanceof Step.Make make) {
            return "make " + make.spec().path("name").asText() + '#' + make.attempt() + " after " + make.setbacks();
        }
        if (step instanceof Step.Start start) {
            return "start " + start.spec().path("name").asText() + '#' + start.made().whose().attempt();
        }
        if (step instanceof Step.Stop stop) {
            return "stop " + stop.live().whose().container() + " in "
                    + Duration.between(START, stop.end()).toSeconds() + (stop.why().isEmpty() ? "" : ": " + stop.why());
        }
        if (step instanceof Step.Hasten hasten) {
            return "hasten " + hasten.live().whose().container();
        }
        return "remove "
                + String.join(
                        " ",
                        ((Step.Remove) step)
                                .ended().stream().map(ContainerFacts::id).sorted().toList());
    }

    private void has(ContainerFacts... found) {
        facts.addAll(Arrays.asList(found));
    }

    private String waiting(String container) {
        return plan().waiting(container).map(ContainerSight.Waiting::reason).orElse("");
    }

    @Test
    void beginsWithTheSandboxEvenWhileVolumesAreMissing() {
        missing.put("data", "no such server");

        assertThat(steps()).containsExactly("sandbox #0");
        assertThat(plan().waiting("c"))
                .contains(new ContainerSight.Waiting(
                        "ContainerCreating", "waiting for volume \"data\": no such server"));
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
        has(SANDBOX, new ContainerFacts(
                brief.id(), brief.name(), brief.image(), brief.imageId(), brief.labels(), brief.state(), START,
                Optional.of(START), Optional.of(START.plusSeconds(600)), 1, false, "", ""));
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
        status = "{containerStatuses: [{name: c, restartCount: 2, state: {running: {startedAt: '2026-01-01T00:00:00Z'}}}]}";
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
        spec = "initContainers: [{name: a, image: busybox}, {name: b, image: busybox}], containers: [{name: c, image: busybox}]";
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
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}], containers: [{name: c, image: busybox}]";
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
        ContainerFacts init = Facts.ended("a", 0, 0, START);
        has(Facts.sandbox(0, State.EXITED, START), init, Facts.container("c", 0, State.RUNNING, START));
        assertThat(steps()).containsExactly("stop c in 32: Pod sandbox changed, it will be killed and re-created.");

        facts.set(2, Facts.ended("c", 0, 137, START));
        assertThat(steps()).containsExactly("sandbox #1");

        has(Facts.sandbox(1, State.RUNNING, START.plusSeconds(1)));
        assertThat(steps()).containsExactlyInAnyOrder("make a#1 after 1", "remove id-sandbox-0");

        has(Facts.ended("a", 1, 0, START.plusSeconds(2)));
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

    @Test
    void aDeletedPodEndsItsContainersThenItsSidecarsThenEverythingGoes() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 30";
        spec = "initContainers: [{name: s, image: busybox, restartPolicy: Always}, {name: t, image: busybox, restartPolicy:"
                + " Always}], containers: [{name: c, image: busybox}, {name: d, image: busybox}]";
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
        assertThat(steps()).containsExactly("remove id-c-0 id-d-0 id-s-0 id-sandbox-0 id-t-0");
    }

    @Test
    void whatIsBeingEndedIsHastenedWhenItsTimeIsCutShort() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        has(SANDBOX, Facts.container("c", 0, State.RUNNING, START));
        busy.put(Step.slot("c"), new Busy(Optional.of(START.plusSeconds(30))));
        assertThat(steps()).containsExactly("hasten c");

        busy.put(Step.slot("c"), new Busy(Optional.of(START.plusSeconds(3))));
        assertThat(steps()).isEmpty();
    }

    @Test
    void nothingOfADeletedPodIsBegunOrRemovedWhileSomethingIsBeingDone() {
        metadata = ", deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 1";
        has(SANDBOX, Facts.container("c", 0, State.CREATED, START));
        busy.put(Step.slot("c"), new Busy(Optional.empty()));
        assertThat(steps()).isEmpty();

        busy.clear();
        assertThat(steps()).containsExactly("remove id-c-0 id-sandbox-0");
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
