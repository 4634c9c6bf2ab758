package dev.mooring.node.pod.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PodStatusTest {
    /** The Pods of which a real kubelet's reports were recorded, by what happened to their one container. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hp-create         | c=exit0                           | Succeeded | 0 | Completed
        hp-file-create    | c=exit0                           | Succeeded | 0 | Completed
        hp-socket-missing | c=none                            | Pending   |   | ContainerCreating
        empty-mem         | c=exit0                           | Succeeded | 0 | Completed
        cm                | c=exit0                           | Succeeded | 0 | Completed
        cm-optional       | c=exit0                           | Succeeded | 0 | Completed
        cm-key-missing    | c=none!ContainerCreating          | Pending   |   | ContainerCreating
        downward          | c=exit0                           | Succeeded | 0 | Completed
        pvc-write         | c=exit0                           | Succeeded | 0 | Completed
        pvc-ro            | c=exit0                           | Succeeded | 0 | Completed
        two-paths         | c=exit0                           | Succeeded | 0 | Completed
        subpath           | c=exit0                           | Succeeded | 0 | Completed
        subpath-expr      | c=exit0                           | Succeeded | 0 | Completed
        fsgroup           | c=exit0                           | Succeeded | 0 | Completed
        env-missing       | c=none!CreateContainerConfigError | Pending   |   | CreateContainerConfigError
        exit-7            | c=exit7                           | Failed    | 7 | Error
        image-missing     | c=none!ErrImagePull               | Pending   |   | ErrImagePull
        unused-volume     | c=exit0                           | Succeeded | 0 | Completed
        """)
    void goldenPodsEndAsOnAKubelet(String pod, String seen, String phase, Integer exit, String reason) {
        PodScene scene = new PodScene("Never", "c").see(seen);
        JsonNode state = scene.container("c").path("state");
        assertThat(scene.status().path("phase").asText()).as(pod).isEqualTo(phase);
        assertThat(state.path("terminated").path("exitCode").asText("")).isEqualTo(exit == null ? "" : exit.toString());
        assertThat(state.path("terminated")
                        .path("reason")
                        .asText(state.path("waiting").path("reason").asText()))
                .isEqualTo(reason);
        assertThat(state.path("terminated").has("message")).isFalse();
    }

    /** What is seen one after another, and how kubectl then shows the Pod: phase, READY, STATUS, RESTARTS. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        Always    | a b   | a=none b=none                    | Pending 0/2 ContainerCreating 0
        Always    | a b   | a=run b=none                     | Pending 1/2 ContainerCreating 0
        Always    | a b   | a=run b=run                      | Running 2/2 Running 0
        Always    | a b   | a=run b=unready                  | Running 1/2 Running 0
        Always    | a b   | a=run b=starting                 | Running 1/2 Running 0
        Always    | a     | a=paused                         | Running 1/1 Running 0
        Always    | a     | a=created                        | Pending 0/1 ContainerCreating 0
        Always    | a     | a=exit0                          | Running 0/1 Completed 0
        Always    | a     | a=exit1                          | Running 0/1 Error 0
        Always    | a b   | a=run b=exit1                    | Running 1/2 Error 0
        Always    | a b   | a=run b=exit0                    | Running 1/2 NotReady 0
        Always    | a     | a=oom                            | Running 0/1 OOMKilled 0
        Always    | a     | a=starterror                     | Running 0/1 StartError 0
        Always    | a     | a=starterror!RunContainerError   | Running 0/1 RunContainerError 0
        Always    | a     | a=exit1!CrashLoopBackOff         | Running 0/1 CrashLoopBackOff 0
        Always    | a     | a=exit0!CrashLoopBackOff         | Running 0/1 CrashLoopBackOff 0
        Always    | a     | a=exit1#3!CrashLoopBackOff       | Running 0/1 CrashLoopBackOff 3
        Always    | a     | a=exit1!ContainerCreating        | Running 0/1 Error 0
        Always    | a     | a=none!ImagePullBackOff          | Pending 0/1 ImagePullBackOff 0
        Always    | a     | a=none!InvalidImageName          | Pending 0/1 InvalidImageName 0
        OnFailure | a     | a=exit0                          | Succeeded 0/1 Completed 0
        OnFailure | a     | a=exit1                          | Running 0/1 Error 0
        OnFailure | a     | a=exit1!CrashLoopBackOff         | Running 0/1 CrashLoopBackOff 0
        OnFailure | a     | a=exit0!CrashLoopBackOff         | Succeeded 0/1 Completed 0
        OnFailure | a b   | a=exit0 b=exit0                  | Succeeded 0/2 Completed 0
        OnFailure | a b   | a=exit0 b=run                    | Running 1/2 NotReady 0
        OnFailure | a b   | a=exit0 b=exit2                  | Running 0/2 Completed 0
        Never     | a     | a=exit0                          | Succeeded 0/1 Completed 0
        Never     | a     | a=exit1                          | Failed 0/1 Error 0
        Never     | a     | a=oom                            | Failed 0/1 OOMKilled 0
        Never     | a     | a=starterror                     | Failed 0/1 StartError 0
        Never     | a     | a=exit1!CrashLoopBackOff         | Failed 0/1 Error 0
        Never     | a b   | a=exit0 b=exit1                  | Failed 0/2 Completed 0
        Never     | a b   | a=exit1 b=run                    | Running 1/2 Error 0
        Always    | i a   | i=none a=none                    | Pending 0/1 Init:0/1 0
        Always    | i a   | i=run a=none                     | Pending 0/1 Init:0/1 0
        Always    | i a   | i=exit0 a=none                   | Pending 0/1 PodInitializing 0
        Always    | i a   | i=exit0 a=run                    | Running 1/1 Running 0
        Always    | i a   | i=exit0 a=none!ErrImagePull      | Pending 0/1 ErrImagePull 0
        Always    | i a   | i=none!ErrImagePull a=none       | Pending 0/1 Init:ErrImagePull 0
        Always    | i a   | i=exit1 a=none                   | Pending 0/1 Init:Error 0
        Always    | i a   | i=exit1#2!CrashLoopBackOff a=none | Pending 0/1 Init:CrashLoopBackOff 2
        OnFailure | i a   | i=exit1 a=none                   | Pending 0/1 Init:Error 0
        Never     | i a   | i=exit1 a=none                   | Failed 0/1 Init:Error 0
        Never     | i a   | i=exit0 a=exit0                  | Succeeded 0/1 Completed 0
        Always    | i1 i2 a | i1=exit0 i2=run a=none         | Pending 0/1 Init:1/2 0
        Always    | s a   | s=starting a=none                | Pending 0/2 Init:0/1 0
        Always    | s a   | s=run a=none                     | Pending 1/2 PodInitializing 0
        Always    | s a   | s=run a=run                      | Running 2/2 Running 0
        Always    | s a   | s=exit1!CrashLoopBackOff a=run   | Running 1/2 Init:CrashLoopBackOff 0
        Never     | s a   | s=run a=exit0                    | Running 1/2 Completed 0
        Never     | s a   | s=exit143 a=exit0                | Succeeded 0/2 Completed 0
        Never     | s a   | s=exit0 a=exit3                  | Failed 0/2 Error 0
        """)
    void kubectlShows(String policy, String names, String seen, String line) {
        assertThat(new PodScene(policy, names).see(seen).line().replaceFirst(" \\(.* ago\\)", ""))
                .isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource({
        "a=none",
        "a=run",
        "a=exit1#1",
        "a=exit1#1!CrashLoopBackOff",
        "a=starterror!RunContainerError",
        "a=none!ImagePullBackOff",
        "a=created#1"
    })
    void theSameSeenAgainIsNoNews(String seen) {
        PodScene scene = new PodScene("Always", "a").leaving("words").see(seen);
        ObjectNode first = scene.status().deepCopy();
        assertThat(scene.pass(60).see(seen).status()).isEqualTo(first);
    }

    @Test
    void tellsOfARunningContainerWithAllItsFields() {
        PodScene scene = new PodScene("Always", "a").see("a=run#1");
        assertThat(scene.container("a").toString())
                .isEqualTo("{\"name\":\"a\",\"restartCount\":1,\"image\":\"busybox:latest\","
                        + "\"imageID\":\"docker://sha256:abc\",\"containerID\":\"docker://a-1\","
                        + "\"state\":{\"running\":{\"startedAt\":\"2026-11-16T12:01:01Z\"}},"
                        + "\"lastState\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\","
                        + "\"startedAt\":\"2026-11-16T12:00:01Z\",\"finishedAt\":\"2026-11-16T12:00:30Z\","
                        + "\"containerID\":\"docker://a-0\"}},\"started\":true,\"ready\":true}");
        assertThat(scene.status().path("startTime").asText()).isEqualTo("2026-11-16T12:00:00Z");
        assertThat(scene.status().path("hostIP").asText()).isEqualTo("192.0.2.1");
        assertThat(scene.status().path("hostIPs").toString()).isEqualTo("[{\"ip\":\"192.0.2.1\"}]");
        assertThat(scene.status().path("podIP").asText()).isEqualTo("172.17.0.5");
        assertThat(scene.status().path("podIPs").toString()).isEqualTo("[{\"ip\":\"172.17.0.5\"}]");
        assertThat(scene.status().path("qosClass").asText()).isEqualTo("BestEffort");
    }

    @Test
    void aContainerThatCouldNotBeStartedEndedWithAStartError() {
        PodScene scene = new PodScene("Never", "a").see("a=starterror");
        JsonNode ended = scene.container("a").path("state").path("terminated");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(128);
        assertThat(ended.path("message").asText()).isEqualTo("no such file: /nope");
    }

    @Test
    void whatAContainerLeftBehindIsItsMessageAndStays() {
        PodScene scene = new PodScene("Always", "a").leaving("disk is full").see("a=exit1");
        assertThat(scene.container("a").at("/state/terminated/message").asText())
                .isEqualTo("disk is full");
        scene.leaving("").see("a=exit1!CrashLoopBackOff");
        assertThat(scene.container("a").at("/lastState/terminated/message").asText())
                .isEqualTo("disk is full");
        assertThat(scene.container("a").at("/state/waiting/message").asText()).isEqualTo("because CrashLoopBackOff");
    }

    @Test
    void aCrashLoopIsToldUntilTheNextOneRuns() {
        PodScene scene = new PodScene("Always", "a").see("a=run").see("a=exit1");
        scene.see("a=exit1!CrashLoopBackOff");
        ObjectNode waiting = scene.status().deepCopy();
        assertThat(scene.see("a=exit1").status()).isEqualTo(waiting);
        assertThat(scene.see("a=created#1").status()).isEqualTo(waiting);
        assertThat(scene.pass(90).see("a=run#1").line()).isEqualTo("Running 1/1 Running 1 (60s ago)");
        assertThat(scene.container("a").at("/lastState/terminated/exitCode").asInt())
                .isEqualTo(1);
    }

    @Test
    void restartsAndTheLastEndAreKeptWhenTheEngineForgot() {
        PodScene scene = new PodScene("Always", "a").see("a=exit1#4!CrashLoopBackOff");
        scene.forgetful().see("a=run#2");
        assertThat(scene.container("a").path("restartCount").asInt()).isEqualTo(4);
        assertThat(scene.container("a").at("/lastState/terminated/containerID").asText())
                .isEqualTo("docker://a-4");
    }

    @Test
    void aRunningContainerThatIsGoneHasEndedAndCountsAsARestart() {
        PodScene scene = new PodScene("Always", "a").see("a=run").pass(40).see("a=none");
        JsonNode ended = scene.container("a").at("/state/terminated");
        assertThat(ended.path("reason").asText()).isEqualTo("ContainerStatusUnknown");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(137);
        assertThat(ended.path("message").asText())
                .isEqualTo("The container could not be located when the pod was terminated");
        assertThat(scene.line()).isEqualTo("Running 0/1 ContainerStatusUnknown 0");
        ObjectNode told = scene.status().deepCopy();
        assertThat(scene.see("a=none").status()).isEqualTo(told);
        assertThat(scene.forgetful().pass(5).see("a=run#1").line()).isEqualTo("Running 1/1 Running 1 (5s ago)");
        assertThat(scene.container("a").at("/lastState/terminated/reason").asText())
                .isEqualTo("ContainerStatusUnknown");
    }

    @Test
    void aContainerThatIsGoneAndNeverRunAgainFailsItsPod() {
        PodScene scene = new PodScene("Never", "a").see("a=run").see("a=none");
        assertThat(scene.line()).isEqualTo("Failed 0/1 ContainerStatusUnknown 0");
    }

    @Test
    void anEndedContainerThatIsGoneStaysAsItWasTold() {
        PodScene scene = new PodScene("Never", "a").see("a=exit7");
        ObjectNode told = scene.status().deepCopy();
        assertThat(scene.see("a=none").status()).isEqualTo(told);
    }

    @Test
    void conditionsFollowThePod() {
        PodScene scene =
                new PodScene("Never", "i a b").sandbox(Optional.empty()).see("i=none a=none b=none");
        assertThat(scene.condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(scene.condition("Initialized"))
                .isEqualTo("False ContainersNotInitialized containers with incomplete status: [i]");
        assertThat(scene.condition("Ready"))
                .isEqualTo("False ContainersNotReady containers with unready status: [a b]");
        assertThat(scene.condition("ContainersReady")).isEqualTo(scene.condition("Ready"));
        assertThat(scene.condition("PodScheduled")).isEqualTo("True");

        scene.sandbox(Optional.of(State.RUNNING)).pass(2).see("i=exit0 a=run b=run");
        assertThat(scene.condition("PodReadyToStartContainers")).isEqualTo("True");
        assertThat(scene.condition("Initialized")).isEqualTo("True");
        assertThat(scene.condition("Ready")).isEqualTo("True");
        assertThat(scene.status().path("conditions").findValuesAsText("lastTransitionTime"))
                .containsExactly(
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T11:59:59Z");
        assertThat(scene.status().path("conditions").findValuesAsText("type"))
                .containsExactly(
                        "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled");

        scene.sandbox(Optional.of(State.EXITED)).see("i=exit0 a=exit0 b=exit0");
        assertThat(scene.condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(scene.condition("Initialized")).isEqualTo("True PodCompleted");
        assertThat(scene.condition("Ready")).isEqualTo("False PodCompleted");
        assertThat(scene.status().path("podIP").asText()).isEqualTo("172.17.0.5");
        assertThat(new PodScene("Never", "a").see("a=exit1").condition("ContainersReady"))
                .isEqualTo("False PodFailed");
    }

    @Test
    void aTransitionHappensOnlyWhenTheStatusOfAConditionChanges() {
        PodScene scene = new PodScene("Always", "a b").see("a=none b=none").pass(9);
        scene.see("a=run b=none");
        assertThat(scene.condition("Ready")).endsWith("[b]");
        assertThat(scene.status().at("/conditions/2/lastTransitionTime").asText())
                .isEqualTo("2026-11-16T12:00:00Z");
    }

    @Test
    void readinessGatesHoldAPodBack() {
        PodScene scene = new PodScene("Always", "a");
        scene.object()
                .withObject("/spec")
                .withArray("readinessGates")
                .addObject()
                .put("conditionType", "example.com/x");
        assertThat(scene.see("a=run").condition("Ready"))
                .isEqualTo("False ReadinessGatesNotReady corresponding condition of pod readiness gate"
                        + " \"example.com/x\" does not exist.");
        ObjectNode gate = scene.status().withArray("conditions").addObject();
        gate.put("type", "example.com/x").put("status", "False");
        assertThat(scene.see("a=run").condition("Ready"))
                .isEqualTo("False ReadinessGatesNotReady the status of pod readiness gate \"example.com/x\" is not"
                        + " \"True\", but False");
        assertThat(scene.condition("ContainersReady")).isEqualTo("True");
        ((ObjectNode) scene.status().path("conditions").get(5)).put("status", "True");
        assertThat(scene.see("a=run").condition("Ready")).isEqualTo("True");
    }

    @Test
    void whatOthersWroteStays() {
        PodScene scene = new PodScene("Always", "a").see("a=run");
        scene.status().put("nominatedNodeName", "n9");
        scene.status()
                .withArray("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True");
        ((ObjectNode) scene.container("a")).putObject("resources").put("x", 1);
        ObjectNode told = scene.status().deepCopy();
        assertThat(scene.see("a=run").status()).isEqualTo(told);
    }

    @Test
    void aNodeThatIsBackOverridesWhatWasSaidOfItsPods() {
        PodScene scene = new PodScene("Always", "a").see("a=run");
        ObjectNode ready = (ObjectNode) scene.status().path("conditions").get(2);
        ready.put("status", "False").put("reason", "NodeNotReady").put("message", "Node n1 is not ready");
        assertThat(scene.see("a=run").condition("Ready")).isEqualTo("True");
    }

    @Test
    void aPodPlacedWithoutASchedulerIsScheduled() {
        PodScene scene = new PodScene("Always", "a");
        scene.status().remove("conditions");
        assertThat(scene.see("a=none").condition("PodScheduled")).isEqualTo("True");
    }

    @Test
    void aPodThatEndedForGoodStaysSo() {
        PodScene scene = new PodScene("Never", "a").see("a=exit1");
        assertThat(scene.see("a=run").status().path("phase").asText()).isEqualTo("Failed");
        scene.fail("Evicted", "no room").see("a=run");
        assertThat(scene.status().has("reason")).isFalse();
    }

    @Test
    void aPodThatFailedAsAWholeKeepsTheStatesOfItsContainers() {
        PodScene scene = new PodScene("Always", "a b").fail("DeadlineExceeded", "too long");
        scene.see("a=run b=exit1");
        assertThat(scene.status().path("phase").asText()).isEqualTo("Failed");
        assertThat(scene.status().path("reason").asText()).isEqualTo("DeadlineExceeded");
        assertThat(scene.status().path("message").asText()).isEqualTo("too long");
        assertThat(scene.container("a").path("state").has("running")).isTrue();
        assertThat(scene.condition("Ready")).isEqualTo("False PodFailed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        a=none                   | Pending 0/1 Terminating 0
        a=run                    | Running 1/1 Terminating 0
        a=exit0                  | Succeeded 0/1 Completed 0
        a=exit137                | Failed 0/1 Error 0
        a=exit1!CrashLoopBackOff | Failed 0/1 Error 0
        """)
    void aPodThatIsDeletedEndsWithItsContainers(String seen, String line) {
        assertThat(new PodScene("Always", "a").delete().see(seen).line()).isEqualTo(line);
    }

    @Test
    void unhealthyVolumesAreACondition() {
        PodScene scene = new PodScene("Always", "a").see("a=run");
        assertThat(scene.condition(PodConditions.VOLUMES_HEALTHY)).isEmpty();
        scene.unhealthy(Map.of("data", "its server does not answer", "cache", "it is gone"))
                .see("a=run");
        assertThat(scene.condition(PodConditions.VOLUMES_HEALTHY))
                .isEqualTo("False VolumeUnhealthy volume \"cache\": it is gone; volume \"data\": its server does not"
                        + " answer");
        scene.unhealthy(Map.of()).see("a=run");
        assertThat(scene.condition(PodConditions.VOLUMES_HEALTHY)).isEqualTo("True VolumesHealthy");
    }

    @Test
    void aPodOnTheNodesNetworkHasItsAddress() {
        PodScene scene = new PodScene("Always", "a");
        scene.object().withObject("/spec").put("hostNetwork", true);
        assertThat(scene.see("a=run").status().path("podIP").asText()).isEqualTo("192.0.2.1");
        assertThat(scene.condition("PodReadyToStartContainers")).isEqualTo("True");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        Always | a=none               | a=run                      | ContainerStarted
        Always | a=none               | a=unready                  | ContainerStarted
        Always | a=unready            | a=run                      | PodReady
        Always | a=run                | a=unready                  | PodNotReady
        Always | a=run                | a=exit1                    | ContainerEnded
        Always | a=run                | a=none                     | ContainerEnded
        Always | a=run                | a=exit1!CrashLoopBackOff   | ContainerEnded
        Always | a=exit1              | a=exit1!CrashLoopBackOff   | ContainerWaiting
        Always | a=exit1              | a=run#1                    | ContainerStarted
        Always | a=none               | a=none!ErrImagePull        | ContainerWaiting
        Always | a=none!ErrImagePull  | a=none!ImagePullBackOff    | ContainerWaiting
        Always | a=none               | a=exit1                    | ContainerEnded
        Never  | a=run                | a=exit0                    | PodSucceeded
        Never  | a=run                | a=exit1                    | PodFailed
        Always | a=run                | a=run                      | PodStatusReported
        """)
    void namesWhatHappened(String policy, String before, String after, String type) {
        PodScene scene = new PodScene(policy, "a").see(before);
        ObjectNode first = scene.status().deepCopy();
        assertThat(PodStatus.eventType(first, scene.see(after).status())).isEqualTo(type);
    }

    @Test
    void theFirstReportIsNamedSo() {
        PodScene scene = new PodScene("Always", "a");
        ObjectNode first = scene.status().deepCopy();
        assertThat(PodStatus.eventType(first, scene.see("a=none").status())).isEqualTo("PodStatusReported");
        assertThat(PodStatus.eventType(
                        first,
                        scene.unhealthy(Map.of("d", "gone")).see("a=none").status()))
                .isEqualTo("PodVolumesUnhealthy");
    }
}
