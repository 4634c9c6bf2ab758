package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringClient.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests PersistentVolumes whose directories contain one another, on a real engine. */
@Timeout(180)
class VolumePathsTest {
    @TempDir
    private static Path directory;

    private static MooringServerFixture server;
    private static MooringClient api;

    private Path team;

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
        for (String each : List.of(PODS, CLAIMS, VOLUMES)) {
            api.list(each)
                    .forEach(object ->
                            api.remove(each, object.at("/metadata/name").asText()));
        }
        server.assertNoLeftovers();
    }

    private void createVolumeAndClaim(String name, String source) {
        server.apply("""
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: NAME}
            spec: {storageClassName: "", capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], SOURCE,
              persistentVolumeReclaimPolicy: Retain, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions:
              [{key: kubernetes.io/hostname, operator: Exists}]}]}}}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: NAME, namespace: default}
            spec: {storageClassName: "", volumeName: NAME, accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
            """.replace("NAME", name).replace("SOURCE", source));
    }

    private String createPod(String name, String claim, String script) {
        server.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME, namespace: default}
            spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:latest', imagePullPolicy: IfNotPresent,
              command: [sh, -c, 'SCRIPT'], volumeMounts: [{name: v, mountPath: /v}]}],
              volumes: [{name: v, persistentVolumeClaim: {claimName: CLAIM}}]}
            """.replace("NAME", name).replace("CLAIM", claim).replace("SCRIPT", script));
        return name;
    }

    private String awaitLog(String pod) {
        api.untilPhase(PODS, pod, "Succeeded");
        return api.logs(pod);
    }

    private void createNestedVolumes(String kind) throws IOException {
        team = Files.createTempDirectory(directory.toRealPath(), "team");
        Files.createDirectory(team.resolve("cache"));
        createVolumeAndClaim("team", kind + ": {path: " + team + "}");
        createVolumeAndClaim("cache", kind + ": {path: " + team.resolve("cache") + "}");
    }

    private void assertLinkOfOtherPodIsNotFollowed(String kind) throws IOException {
        createNestedVolumes(kind);
        Path outside = Files.createTempDirectory(directory.toRealPath(), "outside");
        Files.writeString(outside.resolve("secret"), "secret");
        assertThat(awaitLog(createPod("before", "cache", "echo kept > /v/file; cat /v/file")))
                .isEqualTo("kept\n");

        awaitLog(createPod("attacker", "team", "rm -r /v/cache; ln -s " + outside + " /v/cache"));
        String reader = createPod("reader-" + kind.toLowerCase(Locale.ROOT), "cache", "cat /v/secret");

        String message = Eventually.await(
                        "an Event FailedMount of the reader",
                        () -> api.events(reader),
                        events -> events.stream()
                                .anyMatch(each -> each.path("reason").asText().equals("FailedMount")))
                .stream()
                .map(each -> each.path("message").asText())
                .filter(each -> each.contains("symbolic link"))
                .findFirst()
                .orElse("");
        assertThat(message).contains(team + "/cache is, or is reached through, a symbolic link to " + outside);
        assertThat(MooringClient.phase(api.object(PODS, reader))).isEqualTo("Pending");
    }

    @Test
    void hostPathVolume_directoryReplacedByLink_isNotMounted() throws IOException {
        assertLinkOfOtherPodIsNotFollowed("hostPath");
    }

    @Test
    void localVolume_directoryReplacedByLink_isNotMounted() throws IOException {
        assertLinkOfOtherPodIsNotFollowed("local");
    }

    @Test
    void volume_inContainer_isMountedNosuidAndNodev() throws IOException {
        createNestedVolumes("hostPath");
        assertThat(awaitLog(createPod("looker", "team", "grep \" /v \" /proc/mounts")))
                .contains("nosuid")
                .contains("nodev");
    }
}
