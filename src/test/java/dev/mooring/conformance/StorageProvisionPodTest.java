package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionFixture.CLAIMS;
import static dev.mooring.conformance.StorageProvisionFixture.PODS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.hostPath;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests volumes that are provisioned, discovered or bound for a Pod, on a server that all tests share. */
@Timeout(180)
class StorageProvisionPodTest {
    private static final String NODE = "testhost";

    @TempDir
    private static Path directory;

    private static StorageProvisionFixture api;

    @BeforeAll
    static void start() throws IOException {
        for (String each : new String[] {"disks", "wiped", "lost"}) {
            Files.createDirectory(directory.resolve(each));
        }
        api = StorageProvisionFixture.start(
                directory.resolve("data"),
                Map.of(
                        "volumes.discovery",
                        directory.resolve("disks") + "=local," + directory.resolve("wiped") + "=wiped+wipe,"
                                + directory.resolve("lost") + "=lost"));
        for (String each : new String[] {"wiped", "lost"}) {
            api.createClass(each, "kubernetes.io/no-provisioner", "", "'volumeBindingMode':'WaitForFirstConsumer'");
        }
        api.createClass("waits", "mooring.dev/hostpath", "", "'volumeBindingMode':'WaitForFirstConsumer'");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static JsonNode awaitScheduled(String pod) {
        return api.until(PODS, pod, each -> !each.at("/spec/nodeName").asText().isEmpty());
    }

    private static String awaitPendingReason(String claim, String reason) {
        JsonNode waiting = api.until(
                CLAIMS,
                claim,
                each -> StorageProvisionFixture.condition(each, "Bound")
                        .path("reason")
                        .asText()
                        .equals(reason));
        assertThat(StorageProvisionFixture.phase(waiting)).isEqualTo("Pending");
        return StorageProvisionFixture.condition(waiting, "Bound")
                .path("message")
                .asText();
    }

    @Test
    void waitingClaim_podCreated_isProvisionedAndKeptWhilePodUsesIt() {
        api.create(CLAIMS, StorageProvisionFixture.claim("patient", "waits", "1Gi"));
        assertThat(awaitPendingReason("patient", "WaitForFirstConsumer"))
                .startsWith("waiting for first consumer to be created before binding");
        api.create(PODS, StorageProvisionFixture.pod("first", "patient"));

        assertThat(awaitScheduled("first").at("/spec/nodeName").asText()).isEqualTo(NODE);
        Path volumePath = hostPath(api.volumeOf("patient"));
        assertThat(volumePath).isEmptyDirectory();
        assertThat(api.get(CLAIMS, "patient")
                        .at("/metadata/annotations")
                        .path("volume.kubernetes.io/selected-node")
                        .asText())
                .isEqualTo(NODE);

        api.delete(CLAIMS, "patient");
        JsonNode terminating = api.until(
                CLAIMS,
                "patient",
                each -> !StorageProvisionFixture.condition(each, "Terminating").isMissingNode());
        assertThat(StorageProvisionFixture.condition(terminating, "Terminating")
                        .path("message")
                        .asText())
                .startsWith("kept by kubernetes.io/pvc-protection: used by Pod")
                .contains("first");
        assertThat(volumePath).isEmptyDirectory();
        String volume = terminating.at("/spec/volumeName").asText();
        deletePod("first");
        api.untilGone(CLAIMS, "patient");
        api.untilGone(VOLUMES, volume);
        assertThat(volumePath).doesNotExist();
    }

    /** Deletes a Pod at once, as there is no kubelet here. */
    private static void deletePod(String pod) {
        api.http().delete(PODS + "/" + pod + "?gracePeriodSeconds=0");
        api.untilGone(PODS, pod);
    }

    @Test
    void waitingClaim_podWithNodeNameCreated_isProvisioned() {
        api.create(CLAIMS, StorageProvisionFixture.claim("preset", "waits", "1Gi"));
        api.create(PODS, StorageProvisionFixture.pod("placed", "preset", "'nodeName':'" + NODE + "'"));

        assertThat(hostPath(api.volumeOf("preset"))).isEmptyDirectory();
    }

    @Test
    void waitingClaim_podMatchesNoNode_staysPending() {
        api.create(CLAIMS, StorageProvisionFixture.claim("faraway", "waits", "1Gi"));
        api.create(
                PODS,
                StorageProvisionFixture.pod("astray", "faraway", "'nodeSelector':{'kubernetes.io/hostname':'other'}"));
        assertThat(awaitPendingReason("faraway", "WaitForPodScheduled"))
                .isEqualTo("waiting for pod astray to be scheduled");
        assertThat(api.eventOf("astray", "FailedScheduling"))
                .startsWith("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector");
    }

    private static JsonNode awaitDiscovered(Path path) {
        try (ApiUnderTest.TestWatch watch = api.http().watch(VOLUMES)) {
            while (true) {
                JsonNode volume = StorageProvisionFixture.next(watch).path("object");
                if (volume.at("/spec/local/path").asText().equals(path.toString())
                        && StorageProvisionFixture.phase(volume).equals("Available")) {
                    return volume;
                }
            }
        }
    }

    @Test
    void discoveredVolume_claimDeleted_isReleasedAndKeepsData() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("disks/one"));
        JsonNode discovered = awaitDiscovered(disk);
        assertThat(discovered.at("/spec/storageClassName").asText()).isEqualTo("local");
        assertThat(discovered.at("/spec/persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
        assertThat(discovered
                        .at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                        .asText())
                .isEqualTo(NODE);
        JsonNode volume = bindWithPod("at-one", "local");
        assertThat(volume.at("/metadata/uid").asText())
                .isEqualTo(discovered.at("/metadata/uid").asText());

        Files.writeString(disk.resolve("letter"), "mine");
        deletePodAndClaim("at-one");
        api.untilPhase(VOLUMES, name(volume), "Released");
        assertThat(disk.resolve("letter")).hasContent("mine");
    }

    private static JsonNode bindWithPod(String claim, String className) {
        api.create(CLAIMS, StorageProvisionFixture.claim(claim, className, "1Mi"));
        awaitPendingReason(claim, "WaitForFirstConsumer");
        api.create(PODS, StorageProvisionFixture.pod(claim, claim));
        assertThat(awaitScheduled(claim).at("/spec/nodeName").asText()).isEqualTo(NODE);
        return api.volumeOf(claim);
    }

    private static void deletePodAndClaim(String claim) {
        deletePod(claim);
        api.delete(CLAIMS, claim);
        api.untilGone(CLAIMS, claim);
    }

    private static String name(JsonNode volume) {
        return volume.at("/metadata/name").asText();
    }

    @Test
    void discoveredVolumeWithWipe_claimDeleted_isEmptiedAndAvailable() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("wiped/one"));
        awaitDiscovered(disk);
        JsonNode volume = bindWithPod("tenant", "wiped");
        Files.writeString(Files.createDirectories(disk.resolve("a/b")).resolve("secret"), "of the first tenant");
        deletePodAndClaim("tenant");

        JsonNode available = api.until(
                VOLUMES,
                name(volume),
                each -> StorageProvisionFixture.phase(each).equals("Available")
                        && each.at("/spec/claimRef").isMissingNode());
        assertThat(available.at("/metadata/uid")).isEqualTo(volume.at("/metadata/uid"));
        assertThat(disk).isEmptyDirectory();
        assertThat(bindWithPod("next-tenant", "wiped").at("/metadata/uid")).isEqualTo(volume.at("/metadata/uid"));
    }

    @Test
    void discoveredVolume_directoryRemoved_isDeletedUnlessBound() throws IOException {
        Path free = Files.createDirectory(directory.resolve("lost/free"));
        JsonNode volume = awaitDiscovered(free);
        Files.delete(free);
        api.untilGone(VOLUMES, name(volume));

        Path used = Files.createDirectory(directory.resolve("lost/taken"));
        awaitDiscovered(used);
        JsonNode bound = bindWithPod("holder", "lost");
        Files.delete(used);
        assertThat(api.eventOf(name(bound), "LocalVolumeGone"))
                .contains("is gone on node " + NODE)
                .contains("the volume belongs to claim default/holder");
        assertThat(StorageProvisionFixture.phase(api.get(VOLUMES, name(bound)))).isEqualTo("Bound");
    }
}
