package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.path.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods on a real engine with volumes on a real NFS server, which may come late, or die while they run. */
@OnRealKernel
@Timeout(900)
class RealPodsTest {
    private static final String HEALTHY = "mooring.dev/VolumesHealthy";

    private static NfsServer server;
    private static Path share;
    private static RunningNode node;

    @BeforeAll
    @Timeout(900)
    static void boot() throws Exception {
        long since = System.nanoTime();
        server = NfsServer.boot(41);
        server.start();
        share = server.export("/share");
        node = RunningNode.start(server, "/share");
        Measured.print("an engine and a server after %d ms", Measured.millisSince(since));
    }

    @AfterAll
    static void goAway() {
        server.wake();
        if (node != null) {
            node.close();
        }
        server.close();
    }

    @AfterEach
    void wakeUp() {
        server.wake();
    }

    private static void nothingIsLeft() {
        assertThat(KernelNode.atLast(node::leftovers)).isEmpty();
    }

    @Test
    void twoPodsShareAClaimAndTheNextOneFindsWhatTheyLeft() throws IOException {
        node.applyFile("nfs-shared.yaml");
        node.awaitPhase("shared-writer", "Succeeded");
        node.awaitPhase("shared-reader", "Succeeded");
        assertThat(node.logs("shared-writer")).isEqualTo("written\n");
        assertThat(node.logs("shared-reader")).isEqualTo("hello from shared-writer\n");
        node.deleteAndAwait("shared-writer", "shared-reader");
        nothingIsLeft();

        node.apply(pod(
                "later",
                "cat /v/greeting; echo mine > /v/greeting; touch /v/new; ls /v",
                "persistentVolumeClaim: {claimName: shared, readOnly: true}"));
        node.awaitPhase("later", "Succeeded");
        assertThat(node.logs("later"))
                .startsWith("hello from shared-writer\n")
                .contains("can't create /v/greeting: Read-only file system", "/v/new: Read-only file system")
                .endsWith("\ngreeting\n");
        node.deleteAndAwait("later");
        nothingIsLeft();
        assertThat(exported("greeting")).hasContent("hello from shared-writer");
    }

    /** The only one of that name in the share, wherever a volume's directory is. */
    private static Path exported(String name) throws IOException {
        try (Stream<Path> all = Files.walk(share)) {
            List<Path> found = all.filter(each -> each.endsWith(name)).toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }

    @Test
    void aPodWaitsForItsServerAndWritesNowhereElse() throws IOException {
        node.applyFile("minik8s/claim-named-nfs.yaml");
        node.awaitBound("pvc-specific-nfs-test", "my-specific-nfs-pv");
        server.stop();
        node.apply(pod(
                "early",
                "echo precious > /v/file; echo done",
                "persistentVolumeClaim: {claimName: pvc-specific-nfs-test}"));

        JsonNode waiting = node.awaitPod(
                "early",
                "say why it waits",
                each -> waiting(each).path("message").asText("").contains("refused the connection"));
        assertThat(waiting(waiting).path("reason").asText()).isEqualTo("ContainerCreating");
        assertThat(waiting(waiting).path("message").asText()).startsWith("waiting for volume \"v\": ");
        node.awaitTold("early", "FailedMount");
        assertThat(node.containers(waiting)).isEmpty();
        assertThat(files(node.directory(waiting))).isEmpty();

        server.start();
        long since = System.nanoTime();
        node.awaitPhase("early", "Succeeded");
        Measured.print("succeeded %d ms after the server had come", Measured.millisSince(since));
        assertThat(node.logs("early")).isEqualTo("done\n");
        assertThat(exported("file")).hasContent("precious");
        node.deleteAndAwait("early");
        nothingIsLeft();
        assertThat(exported("file")).hasContent("precious");
    }

    private static JsonNode waiting(JsonNode pod) {
        return pod.at("/status/containerStatuses/0/state/waiting");
    }

    /** Those that a container could have written there, had it run. */
    private static List<String> files(Path directory) {
        return Shell.here()
                .run("if [ -e D ]; then find D -path '*/volumes/*' -type f; fi".replace("D", directory.toString()))
                .lines()
                .toList();
    }

    @Test
    void aServerThatDiesConcernsItsOwnPodsOnlyAndThoseGoOnWhenItIsBack() throws IOException {
        server.export("/dies");
        String volume = "nfs: {server: " + server.address() + ", path: /dies}";
        node.apply(pod("held", "exec 3>/v/NAME; while echo tick >&3; do sleep 1; done", volume));
        String patience = "while echo tick | dd of=/v/NAME conv=fsync 2>/dev/null; do sleep 1; done; echo lost";
        node.apply(pod("patient", patience, volume));
        node.apply(pod("idle", "cd /v; exec sleep 100000", volume));
        for (String each : List.of("held", "patient", "idle")) {
            hasAnAddressIfThereAreAny(node.awaitPhase(each, "Running"));
        }
        for (String each : List.of("held", "patient")) {
            assertThat(KernelNode.atLast(() -> missing("dies/" + each))).isEmpty();
        }

        server.unplug();
        long since = System.nanoTime();
        JsonNode held = node.awaitPod("held", "say so", each -> health(each).equals("False"));
        assertThat(RunningNode.condition(held, HEALTHY).path("message").asText())
                .contains("volume \"v\": ", "answer");
        node.awaitTold("patient", "VolumeConditionAbnormal");
        Measured.print("told after %d ms", Measured.millisSince(since));

        node.delete("held");
        node.delete("idle");
        node.apply(pod("other", "echo fine > /v/file; cat /v/file", "emptyDir: {}"));
        node.awaitPhase("other", "Succeeded");
        Measured.print("another Pod has come and gone after %d ms", Measured.millisSince(since));
        node.awaitGone("idle");
        Measured.print("one that could be ended was gone after %d ms", Measured.millisSince(since));
        // A process with data that is not written yet cannot end, not even by force; nothing is taken away from under
        // it.
        assertThat(node.pod("held").at("/metadata/deletionTimestamp").isTextual())
                .isTrue();
        assertThat(MountTable.read().below(node.directory(held))).hasSize(1);
        assertThat(node.containers(held)).hasSize(1);

        Files.delete(server.root().resolve("dies/patient"));
        server.plug();
        server.restart();
        since = System.nanoTime();
        node.awaitGone("held");
        Measured.print("the other was gone %d ms after the server was back", Measured.millisSince(since));
        node.awaitPod("patient", "be well again", each -> health(each).equals("True"));
        assertThat(KernelNode.atLast(() -> missing("dies/patient"))).isEmpty();
        assertThat(node.logs("patient")).isEmpty();
        assertThat(node.pod("patient").at("/status/phase").asText()).isEqualTo("Running");
        node.deleteAndAwait("patient", "other");
        nothingIsLeft();
    }

    /** In User-Mode Linux the engine is without a bridge: Pods run, and have none. */
    private static void hasAnAddressIfThereAreAny(JsonNode pod) {
        assertThat(pod.path("status").has("podIP")).isEqualTo(node.hasBridge());
        assertThat(RunningNode.condition(pod, "PodReadyToStartContainers")
                        .path("status")
                        .asText())
                .isEqualTo("True");
    }

    private static List<String> missing(String path) {
        return Files.exists(server.root().resolve(path)) ? List.of() : List.of(path);
    }

    private static String health(JsonNode pod) {
        return RunningNode.condition(pod, HEALTHY).path("status").asText("");
    }

    private static String pod(String name, String script, String volume) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              restartPolicy: Never
              terminationGracePeriodSeconds: 1
              containers:
                - name: c
                  image: busybox:latest
                  imagePullPolicy: Never
                  command: [sh, -c, "SCRIPT"]
                  volumeMounts: [{name: v, mountPath: /v}]
              volumes: [{name: v, VOLUME}]
            """.replace("SCRIPT", script).replace("VOLUME", volume).replace("NAME", name);
    }
}
