package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringServerFixture.container;
import static dev.mooring.engine.MooringServerFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Features of Pods that Kubernetes' e2e tests use, on a real engine. */
@Timeout(180)
class PodFeaturesOnEngineTest {
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
    void removeEverything() {
        api.list(PODS)
                .forEach(each -> api.remove(PODS, each.at("/metadata/name").asText()));
        server.assertNoLeftovers();
    }

    private static String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "kubectl", "--kubeconfig", directory.resolve("data/kubeconfig").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(String.join(" ", command) + "\n" + output)
                .isZero();
        return output;
    }

    private static JsonNode untilRunning(String name) {
        return api.untilPhase(PODS, name, "Running");
    }

    @Test
    void kubectlDebug_target_seesProcessesOfTheTargetAndIsReported() throws IOException, InterruptedException {
        server.createPod(pod("p", "exec sleep 12345"));
        untilRunning("p");

        String output = kubectl(
                "debug",
                "p",
                "--image=busybox:latest",
                "--image-pull-policy=IfNotPresent",
                "--target=c",
                "--container=debugger",
                "--attach",
                "--",
                "sh",
                "-c",
                "tr \"\\0\" \" \" </proc/1/cmdline; echo said");
        assertThat(output).contains("sleep 12345", "said");

        JsonNode found = api.until(
                PODS,
                "p",
                "debugger has ended",
                each -> each.at("/status/ephemeralContainerStatuses/0/state").has("terminated"));
        JsonNode status = found.at("/status/ephemeralContainerStatuses/0");
        assertThat(status.path("name").asText()).isEqualTo("debugger");
        assertThat(status.at("/state/terminated/exitCode").asInt()).isZero();
        assertThat(status.path("restartCount").asInt()).isZero();
        assertThat(found.at("/status/phase").asText()).isEqualTo("Running");
        assertThat(found.at("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(found.at("/status/observedGeneration").asInt()).isEqualTo(2);
        assertThat(api.logs("p", "?container=debugger")).contains("sleep 12345");
    }

    @Test
    void kubectlDebug_interactive_runsTheShellOnATerminal() throws IOException, InterruptedException {
        server.createPod(pod("p", "exec sleep 12345"));
        untilRunning("p");

        Process process = new ProcessBuilder(
                        "script",
                        "-qec",
                        "kubectl --kubeconfig " + directory.resolve("data/kubeconfig")
                                + " debug -it p --image=busybox:latest --image-pull-policy=IfNotPresent"
                                + " --container=d -- sh",
                        "/dev/null")
                .redirectErrorStream(true)
                .start();
        api.until(
                PODS,
                "p",
                "d runs",
                each -> each.at("/status/ephemeralContainerStatuses/0/state").has("running"));
        kubectl("exec", "p", "-c", "d", "--", "true");
        process.getOutputStream().write("tty; exit 0\n".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();

        assertThat(output).contains("/dev/pts/0");
        JsonNode ended = api.until(
                PODS,
                "p",
                "d has ended",
                each -> each.at("/status/ephemeralContainerStatuses/0/state").has("terminated"));
        assertThat(ended.at("/status/conditions").findValuesAsText("status")).containsOnly("True");
    }

    private static String logsOfEnded(String name, String script, String... more) {
        List<String> fields = new ArrayList<>(List.of(more));
        fields.add("'restartPolicy':'Never'");
        server.createPod(pod(name, script, fields.toArray(String[]::new)));
        api.untilPhase(PODS, name, "Succeeded");
        return api.logs(name);
    }

    @Test
    void hostsFile_aliases_isWrittenAsByTheKubelet() {
        String hosts = logsOfEnded(
                "p",
                "cat /etc/hosts",
                "'hostAliases':[{'ip':'123.45.67.89','hostnames':['foo','bar']}]",
                "'subdomain':'db'");
        String address = api.object(PODS, "p").at("/status/podIP").asText();
        assertThat(hosts)
                .startsWith("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost")
                .endsWith("\n" + address + "\tp.db.default.svc.cluster.local\tp\n"
                        + "\n# Entries added by HostAliases.\n123.45.67.89\tfoo\tbar\n");
    }

    @Test
    void hostsFile_hostNetwork_hasEntriesOfTheMachine() throws IOException {
        String hosts = logsOfEnded(
                "p",
                "cat /etc/hosts",
                "'hostNetwork':true",
                "'hostAliases':[{'ip':'123.45.67.89','hostnames':['foo']}]");
        assertThat(hosts)
                .isEqualTo("# Kubernetes-managed hosts file (host network).\n"
                        + Files.readString(Path.of("/etc/hosts"))
                        + "\n# Entries added by HostAliases.\n123.45.67.89\tfoo\n");
    }

    @Test
    void hostsFile_mountedByTheContainer_isNotReplaced() {
        String mount = "'volumeMounts':[{'name':'v','mountPath':'/etc/hosts','subPath':'f'}]";
        String maker = container("echo 10.0.0.1 mine > /v/f")
                .replace("'name':'c'", "'name':'i'")
                .replaceFirst("}$", ",'volumeMounts':[{'name':'v','mountPath':'/v'}]}");
        server.createPod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{'restartPolicy':'Never',"
                + "'initContainers':[" + maker + "],'containers':[" + container("cat /etc/hosts", mount)
                + "],'volumes':[{'name':'v','emptyDir':{}}]}}");
        api.untilPhase(PODS, "p", "Succeeded");
        assertThat(api.logs("p")).isEqualTo("10.0.0.1 mine\n");
    }

    @Test
    void unsafeSysctl_podIsFailed() {
        server.createPod(pod("p", "true", "'securityContext':{'sysctls':[{'name':'kernel.msgmax','value':'65536'}]}"));
        JsonNode status = api.untilPhase(PODS, "p", "Failed").path("status");
        assertThat(status.path("reason").asText()).isEqualTo("SysctlForbidden");
        assertThat(status.path("message").asText())
                .isEqualTo("Pod was rejected: forbidden sysctl: \"kernel.msgmax\" not allowlisted");
    }

    @Test
    void windowsPod_isFailed() {
        server.createPod(pod("p", "true", "'os':{'name':'windows'}"));
        assertThat(api.untilPhase(PODS, "p", "Failed").at("/status/reason").asText())
                .isEqualTo("PodOSNotSupported");
    }

    @Test
    void emptyDirInMemory_hasTheStickyBit() {
        String mount =
                container("stat -c %a /v").replaceFirst("}$", ",'volumeMounts':[{'name':'v','mountPath':'/v'}]}");
        server.createPod("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{'restartPolicy':'Never',"
                + "'containers':[" + mount + "],'volumes':[{'name':'v','emptyDir':{'medium':'Memory'}}]}}");
        api.untilPhase(PODS, "p", "Succeeded");
        assertThat(api.logs("p")).isEqualTo("1777\n");
    }
}
