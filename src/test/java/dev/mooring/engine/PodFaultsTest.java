package dev.mooring.engine;

import static dev.mooring.engine.EngineApi.PODS;
import static dev.mooring.engine.EngineServer.pod;
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

/** Containers that do not do what they should. */
@Timeout(180)
class PodFaultsTest {
    private static final String ABSENT = "mooring-test.invalid/absent:1";

    @TempDir
    private static Path directory;

    private static EngineServer server;
    private static EngineApi api;

    @BeforeAll
    static void start() {
        server = EngineServer.start(directory.resolve("data"));
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
        server.nothingRemains();
    }

    private static void kill(String uid) {
        String id = server.containerOf(uid).path("Id").asText();
        RealEngineApi.Reply reply = server.docker().post("/containers/" + id + "/kill", "");
        assertThat(reply.code()).as(reply.text()).isEqualTo(204);
    }

    private static JsonNode status(JsonNode pod) {
        return pod.at("/status/containerStatuses/0");
    }

    @Test
    void aKilledContainerIsFollowedByAnother() {
        String uid = server.makePod(pod("killed", "echo here; exec sleep 3600"));
        JsonNode before = api.untilPhase(PODS, "killed", "Running");
        String first = status(before).path("containerID").asText();
        assertThat(first).startsWith("docker://");
        Eventually.see("its words", () -> api.logs("killed"), "here\n"::equals);
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
        assertThat(EngineApi.phase(after)).isEqualTo("Running");
    }

    @Test
    void aKilledContainerThatMayNotBeStartedAgainHasFailed() {
        String uid = server.makePod(pod("once", "exec sleep 3600", "'restartPolicy':'Never'"));
        api.untilPhase(PODS, "once", "Running");
        kill(uid);

        JsonNode pod = api.untilPhase(PODS, "once", "Failed");
        assertThat(EngineApi.state(pod).at("/terminated/exitCode").asInt()).isEqualTo(137);
        assertThat(status(pod).path("restartCount").asInt()).isZero();
    }

    @Test
    void aRemovedContainerIsFollowedByAnother() {
        String uid = server.makePod(pod("removed", "exec sleep 3600"));
        api.untilPhase(PODS, "removed", "Running");
        String id = server.containerOf(uid).path("Id").asText();
        server.docker().delete("/containers/" + id + "?force=1");

        JsonNode after = api.until(
                PODS,
                "removed",
                "to have another container",
                each -> status(each).path("state").has("running")
                        && !status(each).path("containerID").asText().equals("docker://" + id));
        assertThat(EngineApi.phase(after)).isEqualTo("Running");
        assertThat(server.remains().twins()).isEmpty();
    }

    @Test
    void aContainerThatEndsAtOnceWaitsBeforeItIsStartedAgain() {
        server.makePod(pod("loops", "echo oh; exit 3"));
        JsonNode pod = api.until(
                PODS,
                "loops",
                "to be held back",
                each -> EngineApi.state(each).at("/waiting/reason").asText().equals("CrashLoopBackOff"));

        assertThat(EngineApi.phase(pod)).isEqualTo("Running");
        assertThat(EngineApi.state(pod).at("/waiting/message").asText())
                .startsWith("back-off 10s restarting failed container=c pod=loops_default(");
        assertThat(status(pod).at("/lastState/terminated/exitCode").asInt()).isEqualTo(3);
        assertThat(status(pod).path("ready").asBoolean()).isFalse();
        Eventually.see(
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
                "to be tried again",
                each -> status(each).path("restartCount").asInt() >= 2);
    }

    @Test
    void aPodRunsAsSoonAsItsImageIsThere() {
        server.makePod(pod("waits", "exec sleep 3600").replace("busybox:latest", ABSENT));
        JsonNode pod = api.until(
                PODS,
                "waits",
                "to have no image",
                each -> EngineApi.state(each).at("/waiting/reason").asText().equals("ImagePullBackOff"));
        assertThat(EngineApi.phase(pod)).isEqualTo("Pending");
        assertThat(EngineApi.state(pod).at("/waiting/message").asText())
                .contains("Back-off pulling image \"" + ABSENT + "\"");

        RealEngineApi.Reply tagged =
                server.docker().post("/images/busybox:latest/tag?repo=mooring-test.invalid/absent&tag=1", "");
        assertThat(tagged.code()).as(tagged.text()).isEqualTo(201);
        api.untilPhase(PODS, "waits", "Running");
    }

    @Test
    void anImageThatMayNotBeFetchedIsMissed() {
        server.makePod(pod("never", "exec sleep 3600")
                .replace("busybox:latest", ABSENT)
                .replace("IfNotPresent", "Never"));
        JsonNode pod = api.until(
                PODS,
                "never",
                "to have no image",
                each -> EngineApi.state(each).at("/waiting/reason").asText().equals("ErrImageNeverPull"));
        assertThat(EngineApi.state(pod).at("/waiting/message").asText())
                .isEqualTo("Container image \"" + ABSENT + "\" is not present with pull policy of Never");
    }

    @Test
    void aCommandThatIsNotThereIsNamed() {
        server.makePod(pod("mistyped", "x", "'restartPolicy':'Never'").replace("'sh','-c','x'", "'/no/such/program'"));
        JsonNode pod = api.untilPhase(PODS, "mistyped", "Failed");

        JsonNode ended = EngineApi.state(pod).path("terminated");
        assertThat(ended.path("reason").asText()).isEqualTo("StartError");
        assertThat(ended.path("exitCode").asInt()).isEqualTo(128);
        assertThat(ended.path("message").asText()).contains("/no/such/program");
    }
}
