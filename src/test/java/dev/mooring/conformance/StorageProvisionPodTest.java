package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionApi.CLAIMS;
import static dev.mooring.conformance.StorageProvisionApi.PODS;
import static dev.mooring.conformance.StorageProvisionApi.VOLUMES;
import static dev.mooring.conformance.StorageProvisionApi.hostPath;
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

/** Volumes that are made, found or bound when a Pod needs them, on a server with disks to discover that all tests share. */
@Timeout(60)
class StorageProvisionPodTest {
    private static final String NODE = "testhost";

    @TempDir
    private static Path directory;

    private static StorageProvisionApi api;

    @BeforeAll
    static void start() throws IOException {
        for (String each : new String[] {"disks", "wiped", "lost"}) {
            Files.createDirectory(directory.resolve(each));
        }
        api = StorageProvisionApi.start(
                directory.resolve("data"),
                Map.of(
                        "volumes.discovery",
                        directory.resolve("disks") + "=local," + directory.resolve("wiped") + "=wiped+wipe,"
                                + directory.resolve("lost") + "=lost"));
        for (String each : new String[] {"wiped", "lost"}) {
            api.makeClass(each, "kubernetes.io/no-provisioner", "", "'volumeBindingMode':'WaitForFirstConsumer'");
        }
        api.makeClass("waits", "mooring.dev/hostpath", "", "'volumeBindingMode':'WaitForFirstConsumer'");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static JsonNode scheduled(String pod) {
        return api.until(PODS, pod, each -> !each.at("/spec/nodeName").asText().isEmpty());
    }

    private static String waitsFor(String claim, String reason) {
        JsonNode waiting = api.until(
                CLAIMS,
                claim,
                each -> StorageProvisionApi.condition(each, "Bound")
                        .path("reason")
                        .asText()
                        .equals(reason));
        assertThat(StorageProvisionApi.phase(waiting)).isEqualTo("Pending");
        return StorageProvisionApi.condition(waiting, "Bound").path("message").asText();
    }

    @Test
    void makesAVolumeWhenAPodNeedsItAndKeepsItWhileOneDoes() {
        api.make(CLAIMS, StorageProvisionApi.claim("patient", "waits", "1Gi"));
        assertThat(waitsFor("patient", "WaitForFirstConsumer"))
                .startsWith("waiting for first consumer to be created before binding");
        api.make(PODS, StorageProvisionApi.pod("first", "patient"));

        assertThat(scheduled("first").at("/spec/nodeName").asText()).isEqualTo(NODE);
        Path made = hostPath(api.volumeOf("patient"));
        assertThat(made).isEmptyDirectory();
        assertThat(api.get(CLAIMS, "patient")
                        .at("/metadata/annotations")
                        .path("volume.kubernetes.io/selected-node")
                        .asText())
                .isEqualTo(NODE);

        api.delete(CLAIMS, "patient");
        JsonNode terminating = api.until(
                CLAIMS,
                "patient",
                each -> !StorageProvisionApi.condition(each, "Terminating").isMissingNode());
        assertThat(StorageProvisionApi.condition(terminating, "Terminating")
                        .path("message")
                        .asText())
                .startsWith("kept by kubernetes.io/pvc-protection: used by Pod")
                .contains("first");
        assertThat(made).isEmptyDirectory();
        String volume = terminating.at("/spec/volumeName").asText();
        remove("first");
        api.untilGone(CLAIMS, "patient");
        api.untilGone(VOLUMES, volume);
        assertThat(made).doesNotExist();
    }

    /** As a kubelet would, which there is none of here: at once. */
    private static void remove(String pod) {
        api.http().delete(PODS + "/" + pod + "?gracePeriodSeconds=0");
        api.untilGone(PODS, pod);
    }

    @Test
    void aPodThatNamesItsNodeIsAFirstConsumer() {
        api.make(CLAIMS, StorageProvisionApi.claim("preset", "waits", "1Gi"));
        api.make(PODS, StorageProvisionApi.pod("placed", "preset", "'nodeName':'" + NODE + "'"));

        assertThat(hostPath(api.volumeOf("preset"))).isEmptyDirectory();
    }

    @Test
    void aPodWaitsForANodeThatFits() {
        api.make(CLAIMS, StorageProvisionApi.claim("faraway", "waits", "1Gi"));
        api.make(
                PODS,
                StorageProvisionApi.pod("astray", "faraway", "'nodeSelector':{'kubernetes.io/hostname':'other'}"));
        assertThat(waitsFor("faraway", "WaitForPodScheduled")).isEqualTo("waiting for pod astray to be scheduled");
        assertThat(api.eventOf("astray", "FailedScheduling"))
                .startsWith("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector");
    }

    private static JsonNode discovered(Path path) {
        try (ApiUnderTest.Watching watch = api.http().watch(VOLUMES)) {
            while (true) {
                JsonNode volume = StorageProvisionApi.next(watch).path("object");
                if (volume.at("/spec/local/path").asText().equals(path.toString())
                        && StorageProvisionApi.phase(volume).equals("Available")) {
                    return volume;
                }
            }
        }
    }

    @Test
    void aDirectoryBecomesAVolumeThatStaysAsItIsWhenItsClaimIsGone() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("disks/one"));
        JsonNode found = discovered(disk);
        assertThat(found.at("/spec/storageClassName").asText()).isEqualTo("local");
        assertThat(found.at("/spec/persistentVolumeReclaimPolicy").asText()).isEqualTo("Retain");
        assertThat(found.at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                        .asText())
                .isEqualTo(NODE);
        JsonNode volume = boundThroughAPod("at-one", "local");
        assertThat(volume.at("/metadata/uid").asText())
                .isEqualTo(found.at("/metadata/uid").asText());

        Files.writeString(disk.resolve("letter"), "mine");
        release("at-one");
        api.untilPhase(VOLUMES, name(volume), "Released");
        assertThat(disk.resolve("letter")).hasContent("mine");
    }

    private static JsonNode boundThroughAPod(String claim, String className) {
        api.make(CLAIMS, StorageProvisionApi.claim(claim, className, "1Mi"));
        waitsFor(claim, "WaitForFirstConsumer");
        api.make(PODS, StorageProvisionApi.pod(claim, claim));
        assertThat(scheduled(claim).at("/spec/nodeName").asText()).isEqualTo(NODE);
        return api.volumeOf(claim);
    }

    private static void release(String claim) {
        remove(claim);
        api.delete(CLAIMS, claim);
        api.untilGone(CLAIMS, claim);
    }

    private static String name(JsonNode volume) {
        return volume.at("/metadata/name").asText();
    }

    @Test
    void aDirectoryThatMayBeWipedIsOfferedAgainWithNothingInIt() throws IOException {
        Path disk = Files.createDirectory(directory.resolve("wiped/one"));
        discovered(disk);
        JsonNode volume = boundThroughAPod("tenant", "wiped");
        Files.writeString(Files.createDirectories(disk.resolve("a/b")).resolve("secret"), "of the first tenant");
        release("tenant");

        JsonNode again = api.until(
                VOLUMES,
                name(volume),
                each -> StorageProvisionApi.phase(each).equals("Available")
                        && each.at("/spec/claimRef").isMissingNode());
        assertThat(again.at("/metadata/uid")).isEqualTo(volume.at("/metadata/uid"));
        assertThat(disk).isEmptyDirectory();
        assertThat(boundThroughAPod("next-tenant", "wiped").at("/metadata/uid")).isEqualTo(volume.at("/metadata/uid"));
    }

    @Test
    void aDirectoryThatIsGoneTakesItsVolumeAlongUnlessItIsBound() throws IOException {
        Path free = Files.createDirectory(directory.resolve("lost/free"));
        JsonNode volume = discovered(free);
        Files.delete(free);
        api.untilGone(VOLUMES, name(volume));

        Path taken = Files.createDirectory(directory.resolve("lost/taken"));
        discovered(taken);
        JsonNode bound = boundThroughAPod("holder", "lost");
        Files.delete(taken);
        assertThat(api.eventOf(name(bound), "LocalVolumeGone"))
                .contains("is gone on node " + NODE)
                .contains("the volume belongs to claim default/holder");
        assertThat(StorageProvisionApi.phase(api.get(VOLUMES, name(bound)))).isEqualTo("Bound");
    }
}
