package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringServerFixture.container;
import static dev.mooring.engine.MooringServerFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that explain names the root cause of problems with containers on a real engine, and that they can be solved. */
@Timeout(180)
class ExplainOnEngineTest {
    private static final String ABSENT = "mooring-test.invalid/explained:1";

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
    }

    private static JsonNode explain(String pod) {
        return api.get("/apis/mooring.dev/v1/explain/pods/default/" + pod).body();
    }

    /** Waits until the summary, which ends with the root cause, contains the text. */
    private static JsonNode untilCause(String pod, String text) {
        return Eventually.await(
                pod + " to be explained by " + text,
                () -> explain(pod),
                each -> each.path("problem").asBoolean()
                        && each.path("summary").asText().contains(text));
    }

    private static void untilFine(String pod) {
        Eventually.await(
                pod + " to have no problem",
                () -> explain(pod),
                each -> each.has("problem") && !each.path("problem").asBoolean());
    }

    private static void assertStep(JsonNode explanation, String command) {
        assertThat(explanation.path("next").toString()).contains(command);
    }

    @Test
    void pod_imageCannotBePulled_runsAfterImageIsLoaded() {
        server.createPod(pod("no-image", "exec sleep 3600").replace("busybox:latest", ABSENT));
        JsonNode found = untilCause("no-image", ABSENT);
        assertStep(found, "docker pull " + ABSENT);
        RealEngineApi.EngineReply tagged =
                server.docker().post("/images/busybox:latest/tag?repo=mooring-test.invalid/explained&tag=1", "");
        assertThat(tagged.code()).as(tagged.text()).isEqualTo(201);
        untilFine("no-image");
    }

    @Test
    void pod_containerCrashes_namesExitCodeAndLog() {
        server.createPod(pod("loops", "echo broken; exit 3"));
        JsonNode found = Eventually.await(
                "the time of the next attempt",
                () -> explain("loops"),
                each -> each.path("root").toString().contains("CrashLoopBackOff")
                        && each.path("root").toString().contains("retryAt"));
        assertThat(found.path("summary").asText()).contains("Container c ended with exit code 3");
        assertStep(found, "kubectl logs pod/loops -n default -c c --previous");
        assertThat(api.logs("loops", "?previous=true")).isEqualTo("broken\n");
    }

    @Test
    void pod_commandMissing_namesCommand() {
        server.createPod(
                pod("mistyped", "x", "'restartPolicy':'Never'").replace("'sh','-c','x'", "'/no/such/program'"));
        JsonNode found = untilCause("mistyped", "/no/such/program");
        assertThat(found.path("state").asText()).isEqualTo("Failed");
        assertStep(found, "kubectl replace --force -f mistyped.yaml");
    }

    @Test
    void pod_configMapOfEnvironmentMissing_runsAfterItsCreation() {
        server.createPod(pod("no-env", "exec sleep 3600")
                .replace("'name':'c'", "'name':'c','envFrom':[{'configMapRef':{'name':'env'}}]"));
        JsonNode found = untilCause("no-env", "ConfigMap default/env does not exist.");
        assertStep(found, "kubectl create configmap env -n default --from-literal=key=value");
        api.create(
                "/api/v1/namespaces/default/configmaps",
                "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'env'},'data':{'key':'value'}}");
        untilFine("no-env");
    }

    @Test
    void pod_readinessProbeFails_isReadyAfterRepair() throws IOException {
        Path flag = Files.createDirectories(directory.resolve("flag"));
        String probe = "'readinessProbe':{'exec':{'command':['test','-f','/v/ok']},'periodSeconds':1}";
        server.createPod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'unready'},'spec':{"
                + "'terminationGracePeriodSeconds':1,'containers':["
                + container("exec sleep 3600", "'volumeMounts':[{'name':'v','mountPath':'/v'}]", probe)
                + "],'volumes':[{'name':'v','hostPath':{'path':'" + flag + "'}}]}}");
        JsonNode found = untilCause("unready", "eadiness probe failed");
        assertStep(found, "kubectl logs pod/unready -n default -c c");
        Files.createFile(flag.resolve("ok"));
        untilFine("unready");
    }

    @Test
    void pod_initContainerRuns_namesItUntilItEnds() throws IOException {
        Path flag = Files.createDirectories(directory.resolve("init"));
        String init = container(
                        "while [ ! -f /v/ok ]; do sleep 0.1; done", "'volumeMounts':[{'name':'v','mountPath':'/v'}]")
                .replace("'name':'c'", "'name':'setup'");
        server.createPod(pod(
                "initializing",
                "exec sleep 3600",
                "'initContainers':[" + init + "]",
                "'volumes':[{'name':'v','hostPath':{'path':'" + flag + "'}}]"));
        JsonNode found = untilCause("initializing", "Init container setup has not ended");
        assertStep(found, "kubectl logs pod/initializing -n default -c setup");
        Files.createFile(flag.resolve("ok"));
        untilFine("initializing");
    }

    @Test
    void pod_deadlineExceeded_namesDeadline() {
        server.createPod(pod("late", "exec sleep 3600", "'activeDeadlineSeconds':1"));
        JsonNode found = untilCause("late", "longer than the specified deadline");
        assertThat(found.path("state").asText()).isEqualTo("Failed");
        assertStep(found, "activeDeadlineSeconds");
    }

    @Test
    void pod_terminatingContainerIgnoresSignal_endsWithShorterGracePeriod() {
        server.createPod(pod("stubborn", "trap : TERM; while true; do sleep 1; done")
                .replace("'terminationGracePeriodSeconds':1", "'terminationGracePeriodSeconds':600"));
        api.untilPhase(PODS, "stubborn", "Running");
        assertThat(api.delete(PODS + "/stubborn").code()).isEqualTo(200);
        JsonNode found = untilCause("stubborn", "Container c is stopping");
        assertStep(found, "kubectl delete pod/stubborn -n default --grace-period=1");
        assertThat(api.delete(PODS + "/stubborn?gracePeriodSeconds=1").code()).isIn(200, 202);
        api.untilGone(PODS, "stubborn");
    }

    @Test
    void pod_running_hasNoProblem() {
        server.createPod(pod("fine", "exec sleep 3600"));
        api.untilPhase(PODS, "fine", "Running");
        untilFine("fine");
        assertThat(explain("fine").path("summary").asText())
                .isEqualTo("Pod default/fine is Running, and all its containers are ready.");
    }
}
