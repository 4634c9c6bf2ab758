package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionApi.CLAIMS;
import static dev.mooring.conformance.StorageProvisionApi.PODS;
import static dev.mooring.conformance.StorageProvisionApi.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Cli;
import dev.mooring.cli.TestServers;
import dev.mooring.conformance.ApiUnderTest.Reply;
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

/** The documents of Minik8s' users as they send them with curl, to a server that has just been installed on the machine that serves NFS. */
@Timeout(60)
class StorageManifestsTest {
    private static final Path MANIFESTS = Path.of("manifests");

    @TempDir
    private Path directory;

    private StorageProvisionApi api;
    private Path share;

    @BeforeEach
    void start() throws IOException {
        share = Files.createDirectory(directory.resolve("export"));
        api = StorageProvisionApi.start(
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

    private void made(String path, String manifest) throws IOException {
        Reply reply = post(path, manifest);
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
    }

    @Test
    void aDynamicClaimGetsAVolumeMadeForIt() throws IOException {
        made(CLAIMS, "minik8s/claim-dynamic.yaml");
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
        Path made = StorageProvisionApi.hostPath(volume);
        assertThat(made).isEmptyDirectory().startsWith(directory.resolve("data/volumes"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwxrwxrwx");

        Files.writeString(made.resolve("data"), "of the user");
        api.deleteWithVolume("pvc-dynamic-test");
        assertThat(made).doesNotExist();
    }

    @Test
    void aDynamicClaimTakesTheSmallestFreeVolumeOfItsClassFirst() throws IOException {
        for (String size : new String[] {"400Mi", "2Gi", "1Gi"}) {
            String name = "free-" + size.toLowerCase(Locale.ROOT);
            api.make(VOLUMES + "/" + name, """
                {'spec':{'storageClassName':'hostPath','capacity':'%s','hostPath':{'path':'/srv/free'}}}
                """.formatted(size));
            api.untilPhase(VOLUMES, name, "Available");
        }
        made(CLAIMS, "minik8s/claim-dynamic.yaml");

        assertThat(api.volumeOf("pvc-dynamic-test").at("/metadata/name").asText())
                .isEqualTo("free-1gi");
    }

    @Test
    void aNamedClaimGetsItsMissingVolumeUnderThatName() throws IOException {
        made(CLAIMS + "/pvc-specific-test", "minik8s/claim-named.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-test");

        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-pv");
        assertThat(volume.at("/spec/capacity/storage").asText()).isEqualTo("2Gi");
        Path made = StorageProvisionApi.hostPath(volume);
        assertThat(made).isEmptyDirectory();
        api.deleteWithVolume("pvc-specific-test");
        assertThat(made).doesNotExist();

        made(CLAIMS, "minik8s/claim-named.yaml");
        assertThat(api.volumeOf("pvc-specific-test").at("/metadata/uid").asText())
                .as("another volume of the same name")
                .isNotEqualTo(volume.at("/metadata/uid").asText());
    }

    @Test
    void aNamedClaimGetsItsVolumeIfThereIsOne() throws IOException {
        api.make(VOLUMES + "/my-specific-pv", """
            {'spec':{'storageClassName':'hostPath','capacity':{'storage':'3Gi'},'hostPath':{'path':'/srv/specific'}}}
            """);
        made(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-test");

        assertThat(StorageProvisionApi.hostPath(volume)).isEqualTo(Path.of("/srv/specific"));
        assertThat(api.get(CLAIMS, "pvc-specific-test")
                        .at("/status/capacity/storage")
                        .asText())
                .isEqualTo("3Gi");
    }

    @Test
    void aNamedClaimWhoseVolumeIsOfAnotherClassHasFailedUntilItChanges() throws IOException {
        api.make(VOLUMES + "/my-specific-pv", """
            {'spec':{'storageClassName':'nfs','capacity':'5Gi','accessModes':['ReadWriteOnce'],'nfs':{'server':'nfs.example',
             'path':'/other'}}}
            """);
        made(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode failed = api.untilPhase(CLAIMS, "pvc-specific-test", "Failed");

        String why = "Cannot bind to requested volume \"my-specific-pv\": storageClassName does not match (\"nfs\" ≠"
                + " \"hostPath\")";
        JsonNode condition = StorageProvisionApi.condition(failed, "Bound");
        assertThat(condition.path("status").asText()).isEqualTo("False");
        assertThat(condition.path("reason").asText()).isEqualTo("VolumeMismatch");
        assertThat(condition.path("message").asText()).isEqualTo(why);
        assertThat(api.eventOf("pvc-specific-test", "VolumeMismatch")).isEqualTo(why);
        assertThat(StorageProvisionApi.phase(api.get(VOLUMES, "my-specific-pv")))
                .isEqualTo("Available");

        Reply changed = api.http().merge(VOLUMES + "/my-specific-pv", "{'spec':{'storageClassName':'hostPath'}}");
        assertThat(changed.code()).as(changed.text()).isEqualTo(200);
        JsonNode volume = api.volumeOf("pvc-specific-test");
        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-pv");
    }

    @Test
    void aNamedClaimThatHasFailedGetsAVolumeOnceTheWrongOneIsGone() throws IOException {
        api.make(VOLUMES, """
            {'metadata':{'name':'my-specific-pv'},'spec':{'storageClassName':'hostPath','capacity':{'storage':'1Gi'},
             'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/srv/small'}}}
            """);
        made(CLAIMS, "minik8s/claim-named.yaml");
        JsonNode failed = api.untilPhase(CLAIMS, "pvc-specific-test", "Failed");
        assertThat(StorageProvisionApi.condition(failed, "Bound")
                        .path("message")
                        .asText())
                .contains("my-specific-pv")
                .contains("too small")
                .contains("1Gi < 2Gi");

        api.delete(VOLUMES, "my-specific-pv");
        JsonNode volume = api.volumeOf("pvc-specific-test");
        assertThat(StorageProvisionApi.hostPath(volume)).startsWith(directory);
        assertThat(StorageProvisionApi.condition(api.get(CLAIMS, "pvc-specific-test"), "Bound")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void aNamedNfsClaimGetsADirectoryInTheShare() throws IOException {
        made(CLAIMS + "/pvc-specific-nfs-test", "minik8s/claim-named-nfs.yaml");
        JsonNode volume = api.volumeOf("pvc-specific-nfs-test");

        assertThat(volume.at("/metadata/name").asText()).isEqualTo("my-specific-nfs-pv");
        assertThat(volume.at("/spec/accessModes/0").asText()).isEqualTo("ReadWriteMany");
        assertThat(volume.at("/spec/nfs/server").asText()).isEqualTo("nfs.example");
        assertThat(volume.at("/spec/nfs/path").asText()).isEqualTo(share + "/my-specific-nfs-pv");
        assertThat(volume.at("/spec/nodeAffinity").isMissingNode())
                .as("to be had everywhere")
                .isTrue();
        assertThat(share.resolve("my-specific-nfs-pv")).isEmptyDirectory();

        api.deleteWithVolume("pvc-specific-nfs-test");
        assertThat(share.resolve("my-specific-nfs-pv")).doesNotExist();
    }

    @Test
    void aPodWithClaimsOnlyGetsANodeInWhicheverOrderTheyCome() throws IOException {
        made(PODS + "/pod-pvc-only-test", "minik8s/pod-claims-only.yaml");
        api.until(
                PODS,
                "pod-pvc-only-test",
                pod -> StorageProvisionApi.condition(pod, "PodScheduled")
                        .path("message")
                        .asText()
                        .contains("persistentvolumeclaim \"pvc-dynamic-test\" not found"));
        made(CLAIMS, "minik8s/claim-named.yaml");
        made(CLAIMS, "minik8s/claim-dynamic.yaml");

        JsonNode pod = api.until(
                PODS,
                "pod-pvc-only-test",
                each -> !each.at("/spec/nodeName").asText().isEmpty());
        assertThat(pod.at("/spec/nodeName").asText()).isEqualTo("testhost");
        assertThat(pod.at("/spec/volumes/1/persistentVolumeClaim/claimName").asText())
                .as("the older spelling")
                .isEqualTo("pvc-specific-test");
        api.volumeOf("pvc-dynamic-test");
        api.volumeOf("pvc-specific-test");
    }

    @Test
    void itemPathsAnswerAsMinik8sDid() throws IOException {
        assertThat(api.http().get(CLAIMS + "/pvc-dynamic-test").code()).isEqualTo(404);
        made(CLAIMS + "/pvc-dynamic-test", "minik8s/claim-dynamic.yaml");
        assertThat(post(CLAIMS + "/pvc-dynamic-test", "minik8s/claim-dynamic.yaml")
                        .code())
                .isEqualTo(409);
        assertThat(post(CLAIMS + "/another", "minik8s/claim-named.yaml").code()).isEqualTo(400);
        api.volumeOf("pvc-dynamic-test");
        assertThat(api.http().delete(CLAIMS + "/nobody").code()).isEqualTo(404);
    }

    @Test
    void aBlockClaimGetsAnImageOfItsSizeThatGrows() throws IOException {
        JsonNode volume = api.volumeFor("image", "block", "64Mi");
        Path image = Path.of(volume.at("/spec/csi/volumeAttributes/image").asText());

        assertThat(volume.at("/spec/csi/driver").asText()).isEqualTo("block.mooring.dev");
        assertThat(volume.at("/spec/csi/volumeHandle").asText())
                .isEqualTo(volume.at("/metadata/uid").asText());
        assertThat(Files.size(image)).isEqualTo(64 << 20);
        assertThat(allocated(image)).as("sparse").isLessThan(1 << 20);

        Reply asked = api.http().merge(CLAIMS + "/image", "{'spec':{'resources':{'requests':{'storage':'96Mi'}}}}");
        assertThat(asked.code()).as(asked.text()).isEqualTo(200);
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
        String words = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Long.parseLong(words.substring(0, words.indexOf('\t')));
    }

    @Test
    void aVolumeThatWasKeptIsOfferedAgainWithItsData() throws IOException {
        api.makeClass("kept", "mooring.dev/hostpath", "", "'reclaimPolicy':'Retain'");
        JsonNode volume = api.volumeFor("first", "kept", "1Gi");
        String name = volume.at("/metadata/name").asText();
        Path data = StorageProvisionApi.hostPath(volume);
        Files.writeString(data.resolve("letter"), "for the next");
        assertThat(release(name)).startsWith("4 ").contains("is bound to claim default/first, which has it");
        api.delete(CLAIMS, "first");
        api.untilPhase(VOLUMES, name, "Released");

        assertThat(release(name)).startsWith("0 persistentvolume/" + name + " released: ");
        api.untilPhase(VOLUMES, name, "Available");
        JsonNode again = api.volumeFor("second", "kept", "1Gi");
        assertThat(again.at("/metadata/uid").asText())
                .isEqualTo(volume.at("/metadata/uid").asText());
        assertThat(data.resolve("letter")).hasContent("for the next");
    }

    /** The exit code and what is printed. */
    private String release(String volume) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String kubeconfig = api.http().server().kubeconfig().toString();
        int code = new Cli(TestServers.ambient(Map.of("MOORING_KUBECONFIG", kubeconfig), out, out))
                .run("release", "pv/" + volume);
        return code + " " + out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theQuickStartGetsItsVolumeAndItsNode() throws IOException {
        String[] documents =
                Files.readString(MANIFESTS.resolve("quick-start.yaml")).split("(?m)^---$");
        assertThat(documents).hasSize(2);
        for (String each : documents) {
            Reply reply = api.http()
                    .send("POST", each.contains("kind: Pod") ? PODS : CLAIMS, each, "Content-Type", "application/yaml");
            assertThat(reply.code()).as(reply.text()).isEqualTo(201);
        }

        assertThat(StorageProvisionApi.hostPath(api.volumeOf("data"))).isEmptyDirectory();
        api.until(PODS, "writer", pod -> pod.at("/spec/nodeName").asText().equals("testhost"));
    }
}
