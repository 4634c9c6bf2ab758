package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests Pods on a real engine with volumes of a real NFS server, which starts late or fails while they run. */
@OnRealKernel
@Timeout(900)
class RealPodsTest {
    private static final String HEALTHY = "mooring.dev/VolumesHealthy";

    private static KernelNfsServer server;
    private static Path share;
    private static RealServerFixture node;

    @BeforeAll
    @Timeout(900)
    static void boot() throws Exception {
        long since = System.nanoTime();
        server = KernelNfsServer.boot(41);
        server.start();
        share = server.export("/share");
        node = RealServerFixture.start(server, "/share");
        DurationStats.print("engine and server started after %d ms", DurationStats.millisSince(since));
    }

    @AfterAll
    static void shutDown() {
        server.restore();
        if (node != null) {
            node.close();
        }
        server.close();
    }

    @AfterEach
    void restoreServer() {
        server.restore();
    }

    private static void assertNothingLeft() {
        assertThat(KernelNodeFixture.untilEmpty(node::leftovers)).isEmpty();
    }

    @Test
    void pods_shareClaim_laterPodSeesTheirData() throws IOException {
        node.applyFile("nfs-shared.yaml");
        node.awaitPhase("shared-writer", "Succeeded");
        node.awaitPhase("shared-reader", "Succeeded");
        assertThat(node.logs("shared-writer")).isEqualTo("written\n");
        assertThat(node.logs("shared-reader")).isEqualTo("hello from shared-writer\n");
        node.deleteAndAwait("shared-writer", "shared-reader");
        assertNothingLeft();

        node.apply(pod(
                "later",
                "exec 2>&1; cat /v/greeting; echo mine > /v/greeting; touch /v/new; ls /v",
                "persistentVolumeClaim: {claimName: shared, readOnly: true}"));
        node.awaitPhase("later", "Succeeded");
        assertThat(node.logs("later"))
                .startsWith("hello from shared-writer\n")
                .contains("can't create /v/greeting: Read-only file system", "/v/new: Read-only file system")
                .endsWith("\ngreeting\n");
        node.deleteAndAwait("later");
        assertNothingLeft();
        assertThat(exported("greeting")).hasContent("hello from shared-writer");
    }

    /** Returns the only file of that name below the share. */
    private static Path exported(String name) {
        List<String> all = new HostInspector(share).names("");
        List<Path> found = all.stream()
                .map(share::resolve)
                .filter(each -> each.endsWith(name))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void pod_nfsServerStopped_waitsAndWritesOnlyToItsVolume() throws IOException {
        node.applyFile("minik8s/claim-named-nfs.yaml");
        node.awaitBound("pvc-specific-nfs-test", "my-specific-nfs-pv");
        server.stop();
        node.apply(pod(
                "early",
                "echo precious > /v/file; echo done",
                "persistentVolumeClaim: {claimName: pvc-specific-nfs-test}"));

        JsonNode waiting = node.awaitPod(
                "early",
                "report the reason for waiting",
                each -> waiting(each).path("message").asText("").contains("refused the connection"));
        assertThat(waiting(waiting).path("reason").asText()).isEqualTo("ContainerCreating");
        assertThat(waiting(waiting).path("message").asText()).startsWith("waiting for volume \"v\": ");
        node.awaitEvent("early", "FailedMount");
        assertThat(node.containers(waiting)).isEmpty();
        assertThat(files(node.directory(waiting))).isEmpty();

        server.start();
        long since = System.nanoTime();
        node.awaitPhase("early", "Succeeded");
        DurationStats.print("succeeded %d ms after the start of the server", DurationStats.millisSince(since));
        assertThat(node.logs("early")).isEqualTo("done\n");
        assertThat(exported("file")).hasContent("precious");
        node.deleteAndAwait("early");
        assertNothingLeft();
        assertThat(exported("file")).hasContent("precious");
    }

    private static JsonNode waiting(JsonNode pod) {
        return pod.at("/status/containerStatuses/0/state/waiting");
    }

    /** Returns files that a container could only have written if it had run without its volume. */
    private static List<String> files(Path directory) {
        return Shell.local()
                // It fails when the server removes a directory during the search.
                .run("find D -path '*/volumes/*' -type f 2>/dev/null || true".replace("D", directory.toString()))
                .lines()
                .toList();
    }

    @Test
    void pods_nfsServerFails_othersAreUnaffectedAndItsOwnContinueWhenItReturns() throws IOException {
        server.export("/dies");
        String volume = "nfs: {server: " + server.address() + ", path: /dies}";
        node.apply(pod("held", "exec 3>/v/NAME; while echo tick >&3; do sleep 1; done", volume));
        String patience = "while echo tick | dd of=/v/NAME conv=fsync 2>/dev/null; do sleep 1; done; echo lost";
        node.apply(pod("patient", patience, volume));
        node.apply(pod("idle", "cd /v; exec sleep 100000", volume));
        for (String each : List.of("held", "patient", "idle")) {
            assertAddressIfBridged(node.awaitPhase(each, "Running"));
        }
        for (String each : List.of("held", "patient")) {
            assertThat(KernelNodeFixture.untilEmpty(() -> missing("dies/" + each)))
                    .isEmpty();
        }

        server.unplug();
        long since = System.nanoTime();
        JsonNode held = node.awaitPod("held", "report it", each -> health(each).equals("False"));
        assertThat(RealServerFixture.condition(held, HEALTHY).path("message").asText())
                .contains("volume \"v\": ", "respond");
        node.awaitEvent("patient", "VolumeConditionAbnormal");
        DurationStats.print("reported after %d ms", DurationStats.millisSince(since));

        node.delete("held");
        node.delete("idle");
        node.apply(pod("other", "echo fine > /v/file; cat /v/file", "emptyDir: {}"));
        node.awaitPhase("other", "Succeeded");
        DurationStats.print("another Pod succeeded after %d ms", DurationStats.millisSince(since));
        node.awaitGone("idle");
        DurationStats.print("the Pod without unwritten data was removed after %d ms", DurationStats.millisSince(since));
        // A process with unwritten data cannot end, not even by SIGKILL; its volume stays mounted.
        assertThat(node.pod("held").at("/metadata/deletionTimestamp").isTextual())
                .isTrue();
        assertThat(MountTable.read().below(node.directory(held))).hasSize(1);
        assertThat(node.containers(held)).hasSize(1);

        // Not deleted: a write that was in progress would fail, because its file handle is stale.
        Files.writeString(server.root().resolve("dies/patient"), "before the server returned");
        server.plug();
        server.restart();
        since = System.nanoTime();
        node.awaitGone("held");
        DurationStats.print("the other was removed %d ms after the server returned", DurationStats.millisSince(since));
        node.awaitPod("patient", "be healthy again", each -> health(each).equals("True"));
        assertThat(KernelNodeFixture.untilEmpty(() -> notWritten("dies/patient")))
                .isEmpty();
        assertThat(node.logs("patient")).isEmpty();
        assertThat(node.pod("patient").at("/status/phase").asText()).isEqualTo("Running");
        node.deleteAndAwait("patient", "other");
        assertNothingLeft();
    }

    /** Asserts that a Pod has an address if the engine has a bridge; in User-Mode Linux it has none. */
    private static void assertAddressIfBridged(JsonNode pod) {
        assertThat(pod.path("status").has("podIP")).isEqualTo(node.hasBridge());
        assertThat(RealServerFixture.condition(pod, "PodReadyToStartContainers")
                        .path("status")
                        .asText())
                .isEqualTo("True");
    }

    private static List<String> missing(String path) {
        return Files.exists(server.root().resolve(path)) ? List.of() : List.of(path);
    }

    /** Returns the content of a file unless it is that of the Pod. */
    private static List<String> notWritten(String path) {
        try {
            String content = Files.readString(server.root().resolve(path));
            return content.equals("tick\n") ? List.of() : List.of(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String health(JsonNode pod) {
        return RealServerFixture.condition(pod, HEALTHY).path("status").asText("");
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
