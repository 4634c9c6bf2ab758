package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionFixture.CLAIMS;
import static dev.mooring.conformance.StorageProvisionFixture.PODS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Cli;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests manifests of Minik8s as its users send them with curl, on a new server that is also the NFS server. */
@Timeout(180)
class StorageManifestsTest {
    private static final Path MANIFESTS = Path.of("manifests");

    @TempDir
    private Path directory;

    private StorageProvisionFixture api;
    private Path share;

    @BeforeEach
    void start() throws IOException {
        share = Files.createDirectory(directory.resolve("export"));
        api = StorageProvisionFixture.start(
                directory.resolve("data"),
                Map.of("nfs.isServer", "true", "nfs.server", "nfs.example", "nfs.share", share.toString()));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private Reply post(String path, String manifest) throws IOException {
        return api.http()
                .send("POST", path, Files.readString(MANIFESTS.resolve(manifest)), "Content-Type", "application/yaml");
    }

    private void create(String path, String manifest) throws IOException {
        Reply reply = post(path, manifest);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
    }

    @Test
    void dynamicClaim_noFreeVolume_getsProvisionedVolume() throws IOException {
        create(CLAIMS, "minik8s/claim-dynamic.yaml");
        JsonNode volume = api.volumeOf("pvc-dynamic-test");
        JsonNode claim = api.get(CLAIMS, "pvc-dynamic-test");

        assertThat(volume.at("/metadata/name").asText())
                .isEqualTo("pvc-" + claim.at("/metadata/uid").asText());
        assertThat(volume.at("/spec/capacity/storage").asText()).isEqualTo("500Mi");
        assertThat(volume.at("/spec/storageClassName").asText()).isEqualTo("hostPath");
        assertThat(volume.at("/spec/persistentVolumeReclaimPolicy").asText()).isEqualTo("Delete");
        assertThat(volume.at("/spec/accessModes/0").asText()).isEqualTo("ReadWriteOnce");
        assertThat(volume.at("/spec/claimRef/namespace").asText()).isEqualTo("default");
        assertThat(volume.at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                        .asText())
                .isEqualTo("testhost");
        Path volumePath = StorageProvisionFixture.hostPath(volume);
        assertThat(volumePath).isEmptyDirectory().startsWith(directory.resolve("data/volumes"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(volumePath)))
                .isEqualTo("rwxrwxrwx");

        Files.writeString(volumePath.resolve("data"), "of the user");
        api.deleteWithVolume("pvc-dynamic-test");
        assertThat(volumePath).doesNotExist();
    }

    @Test
    void dynamicClaim_freeVolumesOfItsClass_bindsSmallestThatFits() throws IOException {
        for (String size : new String[] {"400Mi", "2Gi", "1Gi"}) {
            String name = "free-" + size.toLowerCase(Locale.ROOT);
            api.create(VOLUMES + "/" + name, """
                {'spec':{'storageClassName':'hostPath','capacity':'%s','hostPath':{'path':'/srv/free'}}}
                """.formatted(size));
            api.untilPhase(VOLUMES, name, "Available");
        }
        create(CLAIMS, "minik8s/claim-dynamic.yaml");

        assertThat(api.volumeOf("pvc-dynamic-test").at("/metadata/name").asText())
                .isEqualTo("free-1gi");
    }

    @Test
    void namedClaim_volumeMissing_getsProvisionedVolumeOfThatName() throws IOException {
        create(CLAIMS + "/pvc-specific-test", "minik8s/claim-named.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-test");

        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-pv");
        assertThat(volume.at("/spec/capacity/storage").asText()).isEqualTo("2Gi");
        Path volumePath = StorageProvisionFixture.hostPath(volume);
        assertThat(volumePath).isEmptyDirectory();
        api.deleteWithVolume("pvc-specific-test");
        assertThat(volumePath).doesNotExist();

        create(CLAIMS, "minik8s/claim-named.yaml");
        assertThat(api.volumeOf("pvc-specific-test").at("/metadata/uid").asText())
                .as("another volume of the same name")
                .isNotEqualTo(volume.at("/metadata/uid").asText());
    }

    @Test
    void namedClaim_volumeExists_bindsIt() throws IOException {
        api.create(VOLUMES + "/my-specific-pv", """
            {'spec':{'storageClassName':'hostPath','capacity':{'storage':'3Gi'},'hostPath':{'path':'/srv/specific'}}}
            """);
        create(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-test");

        assertThat(StorageProvisionFixture.hostPath(volume)).isEqualTo(Path.of("/srv/specific"));
        assertThat(api.get(CLAIMS, "pvc-specific-test")
                        .at("/status/capacity/storage")
                        .asText())
                .isEqualTo("3Gi");
    }

    @Test
    void namedClaim_volumeOfOtherClass_isFailedUntilVolumeChanges() throws IOException {
        api.create(VOLUMES + "/my-specific-pv", """
            {'spec':{'storageClassName':'nfs','capacity':'5Gi','accessModes':['ReadWriteOnce'],'nfs':{'server':'nfs.example',
             'path':'/other'}}}
            """);
        create(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode failed = api.untilPhase(CLAIMS, "pvc-specific-test", "Failed");

        String expectedMessage = "Cannot bind to requested volume \"my-specific-pv\": storageClassName does not match"
                + " (\"nfs\" ≠ \"hostPath\")";
        JsonNode condition = StorageProvisionFixture.condition(failed, "Bound");
        assertThat(condition.path("status").asText()).isEqualTo("False");
        assertThat(condition.path("reason").asText()).isEqualTo("VolumeMismatch");
        assertThat(condition.path("message").asText()).isEqualTo(expectedMessage);
        assertThat(api.eventOf("pvc-specific-test", "VolumeMismatch")).isEqualTo(expectedMessage);
        api.untilPhase(VOLUMES, "my-specific-pv", "Available");

        Reply changed = api.http().mergePatch(VOLUMES + "/my-specific-pv", "{'spec':{'storageClassName':'hostPath'}}");
        assertThat(changed.code()).as(changed.text()).isEqualTo(200);
        JsonNode volume = api.volumeOf("pvc-specific-test");
        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-pv");
    }

    @Test
    void namedClaim_volumeTooSmall_isProvisionedOnceVolumeIsDeleted() throws IOException {
        api.create(VOLUMES, """
            {'metadata':{'name':'my-specific-pv'},'spec':{'storageClassName':'hostPath','capacity':{'storage':'1Gi'},
             'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/srv/small'}}}
            """);
        create(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode failed = api.untilPhase(CLAIMS, "pvc-specific-test", "Failed");
        assertThat(StorageProvisionFixture.condition(failed, "Bound")
                        .path("message")
                        .asText())
                .contains("my-specific-pv")
                .contains("too small")
                .contains("1Gi < 2Gi");

        api.delete(VOLUMES, "my-specific-pv");
        JsonNode volume = api.volumeOf("pvc-specific-test");
        assertThat(StorageProvisionFixture.hostPath(volume)).startsWith(directory);
        assertThat(StorageProvisionFixture.condition(api.get(CLAIMS, "pvc-specific-test"), "Bound")
                        .path("status")
                        .asText())
                .isEqualTo("True");
    }

    @Test
    void namedNfsClaim_volumeMissing_getsDirectoryInShare() throws IOException {
        create(CLAIMS + "/pvc-specific-nfs-test", "minik8s/claim-named-nfs.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-nfs-test");

        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-nfs-pv");
        assertThat(volume.at("/spec/accessModes/0").asText()).isEqualTo("ReadWriteMany");
        assertThat(volume.at("/spec/nfs/server").asText()).isEqualTo("nfs.example");
        assertThat(volume.at("/spec/nfs/path").asText()).isEqualTo(share + "/my-specific-nfs-pv");
        assertThat(volume.at("/spec/nodeAffinity").isMissingNode())
                .as("available on all nodes")
                .isTrue();
        assertThat(share.resolve("my-specific-nfs-pv")).isEmptyDirectory();

        api.deleteWithVolume("pvc-specific-nfs-test");
        assertThat(share.resolve("my-specific-nfs-pv")).doesNotExist();
    }

    @Test
    void podWithClaims_createdBeforeItsClaims_isScheduledOnceTheyExist() throws IOException {
        create(PODS + "/pod-pvc-only-test", "minik8s/pod-claims-only.yaml");
        api.until(
                PODS,
                "pod-pvc-only-test",
                pod -> StorageProvisionFixture.condition(pod, "PodScheduled")
                        .path("message")
                        .asText()
                        .contains("persistentvolumeclaim \"pvc-dynamic-test\" not found"));
        create(CLAIMS, "minik8s/claim-named.yaml");
        create(CLAIMS, "minik8s/claim-dynamic.yaml");

        JsonNode pod = api.until(
                PODS,
                "pod-pvc-only-test",
                each -> !each.at("/spec/nodeName").asText().isEmpty());
        assertThat(pod.at("/spec/nodeName").asText()).isEqualTo("testhost");
        assertThat(pod.at("/spec/volumes/1/persistentVolumeClaim/claimName").asText())
                .as("claim name in the older spelling")
                .isEqualTo("pvc-specific-test");
        api.volumeOf("pvc-dynamic-test");
        api.volumeOf("pvc-specific-test");
    }

    @Test
    void itemPath_getPostDelete_respondsAsMinik8s() throws IOException {
        assertThat(api.http().get(CLAIMS + "/pvc-dynamic-test").code()).isEqualTo(404);
        create(CLAIMS + "/pvc-dynamic-test", "minik8s/claim-dynamic.yaml");
        assertThat(post(CLAIMS + "/pvc-dynamic-test", "minik8s/claim-dynamic.yaml")
                        .code())
                .isEqualTo(409);
        assertThat(post(CLAIMS + "/another", "minik8s/claim-named.yaml").code()).isEqualTo(400);
        String named = Files.readString(MANIFESTS.resolve("minik8s/claim-named.yaml"));
        assertThat(api.http()
                        .send("POST", CLAIMS, named, "Content-Type", "application/json")
                        .code())
                .isEqualTo(400);
        assertThat(api.http()
                        .send("POST", CLAIMS + "/pvc-specific-test", named, "Content-Type", "application/json")
                        .code())
                .isEqualTo(201);
        api.volumeOf("pvc-dynamic-test");
        assertThat(api.http().delete(CLAIMS + "/missing").code()).isEqualTo(404);
    }

    @Test
    void blockClaim_expanded_growsItsImage() throws IOException {
        JsonNode volume = api.volumeFor("image", "block", "64Mi");
        Path image = Path.of(volume.at("/spec/csi/volumeAttributes/image").asText());

        assertThat(volume.at("/spec/csi/driver").asText()).isEqualTo("block.mooring.dev");
        assertThat(volume.at("/spec/csi/volumeHandle").asText())
                .isEqualTo(volume.at("/metadata/uid").asText());
        assertThat(Files.size(image)).isEqualTo(64 << 20);
        assertThat(allocated(image)).as("sparse").isLessThan(1 << 20);

        Reply patched =
                api.http().mergePatch(CLAIMS + "/image", "{'spec':{'resources':{'requests':{'storage':'96Mi'}}}}");
        assertThat(patched.code()).as(patched.text()).isEqualTo(200);
        api.until(
                CLAIMS,
                "image",
                claim -> claim.at("/status/capacity/storage").asText().equals("96Mi"));
        assertThat(Files.size(image)).isEqualTo(96 << 20);
        assertThat(api.get(VOLUMES, volume.at("/metadata/name").asText())
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("96Mi");

        api.deleteWithVolume("image");
        assertThat(image).doesNotExist();
    }

    private static long allocated(Path file) throws IOException {
        Process du = new ProcessBuilder("du", "-B1", file.toString()).start();
        String output = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(output.substring(0, output.indexOf('\t')));
    }

    @Test
    void retainedVolume_released_isBoundAgainWithItsData() throws IOException {
        api.createClass("kept", "mooring.dev/hostpath", "", "'reclaimPolicy':'Retain'");
        JsonNode volume = api.volumeFor("first", "kept", "1Gi");
        String name = volume.at("/metadata/name").asText();
        Path data = StorageProvisionFixture.hostPath(volume);
        Files.writeString(data.resolve("letter"), "for the next");
        assertThat(release(name)).startsWith("4 ").contains("is bound to claim default/first, which exists");
        api.delete(CLAIMS, "first");
        api.untilPhase(VOLUMES, name, "Released");

        assertThat(release(name)).startsWith("0 persistentvolume/" + name + " released: ");
        api.untilPhase(VOLUMES, name, "Available");
        JsonNode rebound = api.volumeFor("second", "kept", "1Gi");
        assertThat(rebound.at("/metadata/uid").asText())
                .isEqualTo(volume.at("/metadata/uid").asText());
        assertThat(data.resolve("letter")).hasContent("for the next");
    }

    /** Runs {@code mooring release}, and returns the exit code and the output. */
    private String release(String volume) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String kubeconfig = api.http().server().kubeconfig().toString();
        int code = new Cli(ServerFixture.ambient(Map.of("MOORING_KUBECONFIG", kubeconfig), out, out))
                .run("release", "pv/" + volume);
        return code + " " + out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void quickStart_created_getsVolumeAndNode() throws IOException {
        String[] documents =
                Files.readString(MANIFESTS.resolve("quick-start.yaml")).split("(?m)^---$");
        assertThat(documents).hasSize(2);
        for (String each : documents) {
            Reply reply = api.http()
                    .send("POST", each.contains("kind: Pod") ? PODS : CLAIMS, each, "Content-Type", "application/yaml");
            assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        }

        assertThat(StorageProvisionFixture.hostPath(api.volumeOf("data"))).isEmptyDirectory();
        api.until(PODS, "writer", pod -> pod.at("/spec/nodeName").asText().equals("testhost"));
    }
}
