package dev.mooring.node.container;

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
    /** The Pods of the recorded kubelet session, with the state of their one container. */
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
    void status_goldenPods_matchesTheKubelet(String pod, String observed, String phase, Integer exit, String reason) {
        PodStatusFixture fixture = new PodStatusFixture("Never", "c").observe(observed);
        JsonNode state = fixture.container("c").path("state");
        assertThat(fixture.status().path("phase").asText()).as(pod).isEqualTo(phase);
        assertThat(state.path("terminated").path("exitCode").asText("")).isEqualTo(exit == null ? "" : exit.toString());
        assertThat(state.path("terminated")
                        .path("reason")
                        .asText(state.path("waiting").path("reason").asText()))
                .isEqualTo(reason);
        assertThat(state.path("terminated").has("message")).isFalse();
    }

    /** Containers, and how kubectl shows the Pod: phase, READY, STATUS, RESTARTS. */
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
    void status_isShownByKubectlAsForAKubelet(String policy, String names, String observed, String line) {
        assertThat(new PodStatusFixture(policy, names).observe(observed).line().replaceFirst(" \\(.* ago\\)", ""))
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
    void status_sameObservation_isUnchanged(String observed) {
        PodStatusFixture fixture =
                new PodStatusFixture("Always", "a").terminationMessage("text").observe(observed);
        ObjectNode first = fixture.status().deepCopy();
        assertThat(fixture.pass(60).observe(observed).status()).isEqualTo(first);
    }

    @Test
    void status_runningContainer_hasAllFields() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a").observe("a=run#1");
        assertThat(fixture.container("a").toString())
                .isEqualTo("{\"name\":\"a\",\"restartCount\":1,\"image\":\"busybox:latest\","
                        + "\"imageID\":\"docker://sha256:abc\",\"containerID\":\"docker://a-1\",\"resources\":{},"
                        + "\"state\":{\"running\":{\"startedAt\":\"2026-11-16T12:01:01Z\"}},"
                        + "\"lastState\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\","
                        + "\"startedAt\":\"2026-11-16T12:00:01Z\",\"finishedAt\":\"2026-11-16T12:00:30Z\","
                        + "\"containerID\":\"docker://a-0\"}},\"started\":true,\"ready\":true}");
        assertThat(fixture.status().path("startTime").asText()).isEqualTo("2026-11-16T12:00:00Z");
        assertThat(fixture.status().path("hostIP").asText()).isEqualTo("192.0.2.1");
        assertThat(fixture.status().path("hostIPs").toString()).isEqualTo("[{\"ip\":\"192.0.2.1\"}]");
        assertThat(fixture.status().path("podIP").asText()).isEqualTo("172.17.0.5");
        assertThat(fixture.status().path("podIPs").toString()).isEqualTo("[{\"ip\":\"172.17.0.5\"}]");
        assertThat(fixture.status().path("qosClass").asText()).isEqualTo("BestEffort");
    }

    @Test
    void containerStatus_startFailed_isTerminatedWithMessage() {
        PodStatusFixture fixture = new PodStatusFixture("Never", "a").observe("a=starterror");
        JsonNode ended = fixture.container("a").path("state").path("terminated");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(128);
        assertThat(ended.path("message").asText()).isEqualTo("no such file: /nope");
    }

    @Test
    void containerStatus_terminationMessage_isKept() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a")
                .terminationMessage("disk is full")
                .observe("a=exit1");
        assertThat(fixture.container("a").at("/state/terminated/message").asText())
                .isEqualTo("disk is full");
        fixture.terminationMessage("").observe("a=exit1!CrashLoopBackOff");
        assertThat(fixture.container("a").at("/lastState/terminated/message").asText())
                .isEqualTo("disk is full");
        assertThat(fixture.container("a").at("/state/waiting/message").asText()).isEqualTo("because CrashLoopBackOff");
    }

    @Test
    void containerStatus_reportedAsOomKilled_keepsTheReasonWithoutTheEvent() {
        PodStatusFixture fixture = new PodStatusFixture("Never", "a").observe("a=oom");
        fixture.observe("a=exit137");
        assertThat(fixture.container("a").at("/state/terminated/reason").asText())
                .isEqualTo("OOMKilled");
    }

    @Test
    void containerStatus_crashLoop_isKeptUntilNextAttemptRuns() {
        PodStatusFixture fixture =
                new PodStatusFixture("Always", "a").observe("a=run").observe("a=exit1");
        fixture.observe("a=exit1!CrashLoopBackOff");
        ObjectNode waiting = fixture.status().deepCopy();
        assertThat(fixture.observe("a=exit1").status()).isEqualTo(waiting);
        assertThat(fixture.observe("a=created#1").status()).isEqualTo(waiting);
        assertThat(fixture.pass(90).observe("a=run#1").line()).isEqualTo("Running 1/1 Running 1 (60s ago)");
        assertThat(fixture.container("a").at("/lastState/terminated/exitCode").asInt())
                .isEqualTo(1);
    }

    @Test
    void containerStatus_oldContainersRemoved_keepsRestartCountAndLastState() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a").observe("a=exit1#4!CrashLoopBackOff");
        fixture.onlyNewestContainers().observe("a=run#2");
        assertThat(fixture.container("a").path("restartCount").asInt()).isEqualTo(4);
        assertThat(fixture.container("a")
                        .at("/lastState/terminated/containerID")
                        .asText())
                .isEqualTo("docker://a-4");
    }

    @Test
    void containerStatus_runningContainerMissing_isTerminatedAndCountsAsRestart() {
        PodStatusFixture fixture =
                new PodStatusFixture("Always", "a").observe("a=run").pass(40).observe("a=none");
        JsonNode ended = fixture.container("a").at("/state/terminated");
        assertThat(ended.path("reason").asText()).isEqualTo("ContainerStatusUnknown");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(137);
        assertThat(ended.path("message").asText())
                .isEqualTo("The container could not be located when the pod was terminated");
        assertThat(fixture.line()).isEqualTo("Running 0/1 ContainerStatusUnknown 0");
        ObjectNode reported = fixture.status().deepCopy();
        assertThat(fixture.observe("a=none").status()).isEqualTo(reported);
        assertThat(fixture.onlyNewestContainers().pass(5).observe("a=run#1").line())
                .isEqualTo("Running 1/1 Running 1 (5s ago)");
        assertThat(fixture.container("a").at("/lastState/terminated/reason").asText())
                .isEqualTo("ContainerStatusUnknown");
    }

    @Test
    void podPhase_containerMissingAndPolicyNever_isFailed() {
        PodStatusFixture fixture =
                new PodStatusFixture("Never", "a").observe("a=run").observe("a=none");
        assertThat(fixture.line()).isEqualTo("Failed 0/1 ContainerStatusUnknown 0");
    }

    @Test
    void containerStatus_endedContainerMissing_isUnchanged() {
        PodStatusFixture fixture = new PodStatusFixture("Never", "a").observe("a=exit7");
        ObjectNode reported = fixture.status().deepCopy();
        assertThat(fixture.observe("a=none").status()).isEqualTo(reported);
    }

    @Test
    void conditions_followTheContainers() {
        PodStatusFixture fixture =
                new PodStatusFixture("Never", "i a b").sandbox(Optional.empty()).observe("i=none a=none b=none");
        assertThat(fixture.condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(fixture.condition("Initialized"))
                .isEqualTo("False ContainersNotInitialized containers with incomplete status: [i]");
        assertThat(fixture.condition("Ready"))
                .isEqualTo("False ContainersNotReady containers with unready status: [a b]");
        assertThat(fixture.condition("ContainersReady")).isEqualTo(fixture.condition("Ready"));
        assertThat(fixture.condition("PodScheduled")).isEqualTo("True");

        fixture.sandbox(Optional.of(State.RUNNING)).pass(2).observe("i=exit0 a=run b=run");
        assertThat(fixture.condition("PodReadyToStartContainers")).isEqualTo("True");
        assertThat(fixture.condition("Initialized")).isEqualTo("True");
        assertThat(fixture.condition("Ready")).isEqualTo("True");
        assertThat(fixture.status().path("conditions").findValuesAsText("lastTransitionTime"))
                .containsExactly(
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T12:00:02Z",
                        "2026-11-16T11:59:59Z");
        assertThat(fixture.status().path("conditions").findValuesAsText("type"))
                .containsExactly(
                        "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled");

        fixture.sandbox(Optional.of(State.EXITED)).observe("i=exit0 a=exit0 b=exit0");
        assertThat(fixture.condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(fixture.condition("Initialized")).isEqualTo("True PodCompleted");
        assertThat(fixture.condition("Ready")).isEqualTo("False PodCompleted");
        assertThat(fixture.status().path("podIP").asText()).isEqualTo("172.17.0.5");
        assertThat(new PodStatusFixture("Never", "a").observe("a=exit1").condition("ContainersReady"))
                .isEqualTo("False PodFailed");
    }

    @Test
    void condition_onlyMessageChanged_keepsTransitionTime() {
        PodStatusFixture fixture =
                new PodStatusFixture("Always", "a b").observe("a=none b=none").pass(9);
        fixture.observe("a=run b=none");
        assertThat(fixture.condition("Ready")).endsWith("[b]");
        assertThat(fixture.status().at("/conditions/2/lastTransitionTime").asText())
                .isEqualTo("2026-11-16T12:00:00Z");
    }

    @Test
    void readyCondition_readinessGateNotTrue_isFalse() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a");
        fixture.object()
                .withObject("/spec")
                .withArray("readinessGates")
                .addObject()
                .put("conditionType", "example.com/x");
        assertThat(fixture.observe("a=run").condition("Ready"))
                .isEqualTo("False ReadinessGatesNotReady corresponding condition of pod readiness gate"
                        + " \"example.com/x\" does not exist.");
        ObjectNode gate = fixture.status().withArray("conditions").addObject();
        gate.put("type", "example.com/x").put("status", "False");
        assertThat(fixture.observe("a=run").condition("Ready"))
                .isEqualTo("False ReadinessGatesNotReady the status of pod readiness gate \"example.com/x\" is not"
                        + " \"True\", but False");
        assertThat(fixture.condition("ContainersReady")).isEqualTo("True");
        ((ObjectNode) fixture.status().path("conditions").get(5)).put("status", "True");
        assertThat(fixture.observe("a=run").condition("Ready")).isEqualTo("True");
    }

    @Test
    void status_fieldsOfOtherWriters_areKept() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a").observe("a=run");
        fixture.status().put("nominatedNodeName", "n9");
        fixture.status()
                .withArray("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True");
        ((ObjectNode) fixture.container("a")).putObject("unknownToUs").put("x", 1);
        ObjectNode reported = fixture.status().deepCopy();
        assertThat(fixture.observe("a=run").status()).isEqualTo(reported);
    }

    @Test
    void readyCondition_setByNodeController_isOverwritten() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a").observe("a=run");
        ObjectNode ready = (ObjectNode) fixture.status().path("conditions").get(2);
        ready.put("status", "False").put("reason", "NodeNotReady").put("message", "Node n1 is not ready");
        assertThat(fixture.observe("a=run").condition("Ready")).isEqualTo("True");
    }

    @Test
    void podScheduledCondition_withoutScheduler_isTrue() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a");
        fixture.status().remove("conditions");
        assertThat(fixture.observe("a=none").condition("PodScheduled")).isEqualTo("True");
    }

    @Test
    void podPhase_failed_staysFailed() {
        PodStatusFixture fixture = new PodStatusFixture("Never", "a").observe("a=exit1");
        assertThat(fixture.observe("a=run").status().path("phase").asText()).isEqualTo("Failed");
        fixture.fail("Evicted", "no room").observe("a=run");
        assertThat(fixture.status().has("reason")).isFalse();
    }

    @Test
    void podFailure_keepsContainerStates() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a b").fail("DeadlineExceeded", "too long");
        fixture.observe("a=run b=exit1");
        assertThat(fixture.status().path("phase").asText()).isEqualTo("Failed");
        assertThat(fixture.status().path("reason").asText()).isEqualTo("DeadlineExceeded");
        assertThat(fixture.status().path("message").asText()).isEqualTo("too long");
        assertThat(fixture.container("a").path("state").has("running")).isTrue();
        assertThat(fixture.condition("Ready")).isEqualTo("False PodFailed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        a=none                   | Pending 0/1 Terminating 0
        a=run                    | Running 1/1 Terminating 0
        a=exit0                  | Succeeded 0/1 Completed 0
        a=exit137                | Failed 0/1 Error 0
        a=exit1!CrashLoopBackOff | Failed 0/1 Error 0
        """)
    void deletedPod_hasPhaseOfItsContainers(String observed, String line) {
        assertThat(new PodStatusFixture("Always", "a")
                        .delete()
                        .observe(observed)
                        .line())
                .isEqualTo(line);
    }

    @Test
    void volumesHealthyCondition_unhealthyVolumes_isFalse() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a").observe("a=run");
        assertThat(fixture.condition(PodConditions.VOLUMES_HEALTHY)).isEmpty();
        fixture.unhealthy(Map.of("data", "its server does not answer", "cache", "it is gone"))
                .observe("a=run");
        assertThat(fixture.condition(PodConditions.VOLUMES_HEALTHY))
                .isEqualTo("False VolumeUnhealthy volume \"cache\": it is gone; volume \"data\": its server does not"
                        + " answer");
        fixture.unhealthy(Map.of()).observe("a=run");
        assertThat(fixture.condition(PodConditions.VOLUMES_HEALTHY)).isEqualTo("True VolumesHealthy");
    }

    @Test
    void podIp_hostNetwork_isAddressOfNode() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a");
        fixture.object().withObject("/spec").put("hostNetwork", true);
        assertThat(fixture.observe("a=run").status().path("podIP").asText()).isEqualTo("192.0.2.1");
        assertThat(fixture.condition("PodReadyToStartContainers")).isEqualTo("True");
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
    void eventType_namesTheChange(String policy, String before, String after, String type) {
        PodStatusFixture fixture = new PodStatusFixture(policy, "a").observe(before);
        ObjectNode first = fixture.status().deepCopy();
        assertThat(PodStatus.eventType(first, fixture.observe(after).status())).isEqualTo(type);
    }

    @Test
    void eventType_firstReport_isPodStatusReported() {
        PodStatusFixture fixture = new PodStatusFixture("Always", "a");
        ObjectNode first = fixture.status().deepCopy();
        assertThat(PodStatus.eventType(first, fixture.observe("a=none").status()))
                .isEqualTo("PodStatusReported");
        assertThat(PodStatus.eventType(
                        first,
                        fixture.unhealthy(Map.of("d", "gone")).observe("a=none").status()))
                .isEqualTo("PodVolumesUnhealthy");
    }
}
