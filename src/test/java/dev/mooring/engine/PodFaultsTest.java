package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringServerFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.RealEngineApi;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests Pods whose containers are killed, fail, or have no image. */
@Timeout(180)
class PodFaultsTest {
    private static final String ABSENT = "mooring-test.invalid/absent:1";

    @TempDir
    private static Path directory;

    private static MooringServerFixture server;
    private static MooringClient api;

    @BeforeAll
    static void start() {
        server = MooringServerFixture.start(directory.resolve("data"));
        api = server.api();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void removePods() {
        api.list(PODS)
                .forEach(each -> api.remove(PODS, each.at("/metadata/name").asText()));
        server.docker().delete("/images/" + ABSENT);
        server.assertNoLeftovers();
    }

    private static void kill(String uid) {
        String id = server.containerOf(uid).path("Id").asText();
        RealEngineApi.EngineReply reply = server.docker().post("/containers/" + id + "/kill", "");
        assertThat(reply.code()).as(reply.text()).isEqualTo(204);
    }

    private static JsonNode status(JsonNode pod) {
        return pod.at("/status/containerStatuses/0");
    }

    @Test
    void killedContainer_restartPolicyAlways_isRestarted() {
        String uid = server.createPod(pod("killed", "echo here; exec sleep 3600"));
        JsonNode before = api.untilPhase(PODS, "killed", "Running");
        String first = status(before).path("containerID").asText();
        assertThat(first).startsWith("docker://");
        Eventually.await("its log", () -> api.logs("killed"), "here\n"::equals);
        kill(uid);

        JsonNode after = api.until(
                PODS,
                "killed",
                "to be started again",
                each -> status(each).path("restartCount").asInt() == 1
                        && status(each).path("state").has("running"));
        assertThat(status(after).path("containerID").asText()).isNotEqualTo(first);
        JsonNode ended = status(after).path("lastState").path("terminated");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(137);
        assertThat(ended.path("reason").asText()).isEqualTo("Error");
        assertThat(ended.path("containerID").asText()).isEqualTo(first);
        assertThat(api.logs("killed", "?previous=true")).isEqualTo("here\n");
        assertThat(MooringClient.phase(after)).isEqualTo("Running");
    }

    @Test
    void killedContainer_restartPolicyNever_failsPod() {
        String uid = server.createPod(pod("once", "exec sleep 3600", "'restartPolicy':'Never'"));
        api.untilPhase(PODS, "once", "Running");
        kill(uid);

        JsonNode pod = api.untilPhase(PODS, "once", "Failed");
        assertThat(MooringClient.state(pod).at("/terminated/exitCode").asInt()).isEqualTo(137);
        assertThat(status(pod).path("restartCount").asInt()).isZero();
    }

    @Test
    void removedContainer_restartPolicyAlways_isReplaced() {
        String uid = server.createPod(pod("removed", "exec sleep 3600"));
        api.untilPhase(PODS, "removed", "Running");
        String id = server.containerOf(uid).path("Id").asText();
        server.docker().delete("/containers/" + id + "?force=1");

        JsonNode after = api.until(
                PODS,
                "removed",
                "to have another container",
                each -> status(each).path("state").has("running")
                        && !status(each).path("containerID").asText().equals("docker://" + id));
        assertThat(MooringClient.phase(after)).isEqualTo("Running");
        assertThat(server.leftovers().duplicateContainers()).isEmpty();
    }

    @Test
    void container_exitsAtOnce_isRestartedWithBackOff() {
        server.createPod(pod("loops", "echo oh; exit 3"));
        JsonNode pod = api.until(
                PODS,
                "loops",
                "to be in CrashLoopBackOff",
                each -> MooringClient.state(each).at("/waiting/reason").asText().equals("CrashLoopBackOff"));

        assertThat(MooringClient.phase(pod)).isEqualTo("Running");
        assertThat(MooringClient.state(pod).at("/waiting/message").asText())
                .startsWith("back-off 10s restarting failed container=c pod=loops_default(");
        assertThat(status(pod).at("/lastState/terminated/exitCode").asInt()).isEqualTo(3);
        assertThat(status(pod).path("ready").asBoolean()).isFalse();
        Eventually.await(
                "an event",
                () -> api.events("loops"),
                events -> events.stream()
                        .anyMatch(each -> each.path("reason").asText().equals("BackOff")
                                && each.path("message")
                                        .asText()
                                        .startsWith("Back-off restarting failed container c in pod loops_default(")));
        api.until(
                PODS,
                "loops",
                "to be restarted",
                each -> status(each).path("restartCount").asInt() >= 2);
    }

    @Test
    void pod_missingImageAdded_runs() {
        server.createPod(pod("waits", "exec sleep 3600").replace("busybox:latest", ABSENT));
        JsonNode pod = api.until(
                PODS,
                "waits",
                "to have no image",
                each -> MooringClient.state(each).at("/waiting/reason").asText().equals("ImagePullBackOff"));
        assertThat(MooringClient.phase(pod)).isEqualTo("Pending");
        assertThat(MooringClient.state(pod).at("/waiting/message").asText())
                .contains("Back-off pulling image \"" + ABSENT + "\"");

        RealEngineApi.EngineReply tagged =
                server.docker().post("/images/busybox:latest/tag?repo=mooring-test.invalid/absent&tag=1", "");
        assertThat(tagged.code()).as(tagged.text()).isEqualTo(201);
        api.untilPhase(PODS, "waits", "Running");
    }

    @Test
    void pod_missingImageWithPullPolicyNever_hasErrImageNeverPull() {
        server.createPod(pod("never", "exec sleep 3600")
                .replace("busybox:latest", ABSENT)
                .replace("IfNotPresent", "Never"));
        JsonNode pod = api.until(
                PODS,
                "never",
                "to have no image",
                each -> MooringClient.state(each).at("/waiting/reason").asText().equals("ErrImageNeverPull"));
        assertThat(MooringClient.state(pod).at("/waiting/message").asText())
                .isEqualTo("Container image \"" + ABSENT + "\" is not present with pull policy of Never");
    }

    @Test
    void pod_withNameOfSandboxImage_isRefused() {
        server.createPod(pod("poser", "exec sleep 3600")
                .replace("busybox:latest", "mooring.dev/pause:1")
                .replace("IfNotPresent", "Always"));
        JsonNode pod = api.until(
                PODS,
                "poser",
                "to have an invalid image name",
                each -> MooringClient.state(each).at("/waiting/reason").asText().equals("InvalidImageName"));
        assertThat(MooringClient.state(pod).at("/waiting/message").asText())
                .contains("the name mooring.dev/pause is reserved for the image of Pod sandboxes");
    }

    @Test
    void container_withDefaultSettings_isLimitedTo4096Processes() {
        server.createPod(pod(
                "pids",
                "cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null; true",
                "'restartPolicy':'Never'"));
        api.untilPhase(PODS, "pids", "Succeeded");
        assertThat(api.logs("pids")).isEqualTo("4096\n");
    }

    @Test
    void container_commandMissing_failsAndNamesCommand() {
        server.createPod(
                pod("mistyped", "x", "'restartPolicy':'Never'").replace("'sh','-c','x'", "'/no/such/program'"));
        JsonNode pod = api.untilPhase(PODS, "mistyped", "Failed");

        JsonNode ended = MooringClient.state(pod).path("terminated");
        assertThat(ended.path("reason").asText()).isEqualTo("StartError");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(128);
        assertThat(ended.path("message").asText()).contains("/no/such/program");
    }
}
