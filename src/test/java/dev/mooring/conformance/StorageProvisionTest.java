package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionFixture.CLAIMS;
import static dev.mooring.conformance.StorageProvisionFixture.CLASSES;
import static dev.mooring.conformance.StorageProvisionFixture.OPERATIONS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.hostPath;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the parameters of a class from validation to the disk, on a server that all tests share. */
@Timeout(180)
class StorageProvisionTest {
    @TempDir
    private static Path directory;

    private static StorageProvisionFixture api;

    @BeforeAll
    static void start() throws IOException {
        Files.createDirectory(directory.resolve("fast"));
        api = StorageProvisionFixture.start(
                directory.resolve("data"),
                Map.of("volumes.allowedBases", directory.resolve("fast").toString()));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        hostpath | 'pathPatern':'x'                     | parameters[pathPatern]: Invalid value: "x": unknown parameter of mooring.dev/hostpath; did you mean "pathPattern"?
        hostpath | 'pathPattern':'../${pvc.name}'       | must not contain the segment '..'
        hostpath | 'pathPattern':'/etc/${pvc.name}'     | must be a relative path
        hostpath | 'pathPattern':'.mooring/${pvc.uid}'  | segments must not begin with '.mooring'
        hostpath | 'pathPattern':'${pvc.nam}'           | unknown variable "pvc.nam"
        hostpath | 'basePath':'srv'                     | must be an absolute path
        hostpath | 'basePath':'/srv/../etc'             | must be normalized
        hostpath | 'mode':'4777'                        | must be an octal number from 0000 to 0777, such as 0770
        hostpath | 'uid':'root'                         | must be a number from 0 to 2147483647
        hostpath | 'onDelete':'shred'                   | must be one of delete, retain, archive
        hostpath | 'createMissingVolume':'yes'          | must be one of true, false
        hostpath | 'server':'nfs1'                      | parameters[server]: Invalid value: "nfs1": unknown parameter of mooring.dev/hostpath
        local    | 'fsType':'ext4'                      | unknown parameter of mooring.dev/local
        nfs      | 'subDir':'a','pathPattern':'b'       | means the same as pathPattern: use only one of them
        nfs      | 'mode':'700','mountPermissions':'700' | means the same as mode: use only one of them
        nfs      | 'server':'-o evil'                   | must be the name or the address of a host
        block    | 'mode':'0700'                        | unknown parameter of mooring.dev/block
        block    | 'fsType':'btrfs'                     | must be one of ext4, xfs
        blok     | 'fsType':'ext4'                      | provisioner: Invalid value: "mooring.dev/blok": is not a provisioner of Mooring; did you mean "mooring.dev/block"?
        """)
    void storageClass_wrongParameters_isInvalid(String provisioner, String parameters, String message) {
        Reply reply = api.http()
                .send(
                        "POST",
                        CLASSES,
                        StorageProvisionFixture.storageClass("wrong", "mooring.dev/" + provisioner, parameters),
                        "Content-Type",
                        "application/json");

        assertThat(reply.code()).as(reply.text()).isEqualTo(422);
        assertThat(reply.reason()).isEqualTo("Invalid");
        assertThat(reply.message())
                .startsWith("StorageClass.storage.k8s.io \"wrong\" is invalid: ")
                .contains(message);
    }

    @Test
    void storageClass_onDeleteWithRetainPolicy_isInvalid() {
        Reply reply = api.http()
                .post(
                        CLASSES,
                        StorageProvisionFixture.storageClass(
                                "wrong", "mooring.dev/nfs", "'onDelete':'archive'", "'reclaimPolicy':'Retain'"));
        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.message()).contains("has no effect with reclaimPolicy Retain");
    }

    @Test
    void storageClass_ofOtherProvisioner_mayHaveAnyParameters() {
        api.createClass("others", "vendor.example/disk", "'pathPattern':'/..','anything':'goes'");
    }

    @Test
    void pathPattern_claimsDeleted_removesDirectoriesAndEmptyParents() {
        api.createClass(
                "pattern",
                "mooring.dev/hostpath",
                "'pathPattern':'by-team/${pvc.namespace}/${pvc.name}','mode':'0750'");
        Path first = hostPath(api.volumeFor("a", "pattern", "1Gi"));
        Path second = hostPath(api.volumeFor("b", "pattern", "1Gi"));

        Path team = directory.resolve("data/volumes/hostpath/by-team");
        assertThat(first).isEqualTo(team.resolve("default/a")).isEmptyDirectory();
        assertThat(permissions(first)).isEqualTo("rwxr-x---");
        api.deleteWithVolume("a");
        assertThat(first).doesNotExist();
        assertThat(second).isEmptyDirectory();
        api.deleteWithVolume("b");
        assertThat(team).doesNotExist();
    }

    @Test
    void pathPattern_labelMissing_failsUntilClaimHasLabel() {
        api.createClass("labelled", "mooring.dev/hostpath", "'pathPattern':'${pvc.labels[\\u0027team\\u0027]}'");
        api.create(CLAIMS, StorageProvisionFixture.claim("unlabelled", "labelled", "1Gi"));

        assertThat(api.eventOf("unlabelled", "ProvisioningFailed"))
                .contains("${pvc.labels['team']} is \"\": not set on the claim");
        api.http().mergePatch(CLAIMS + "/unlabelled", "{'metadata':{'labels':{'team':'red'}}}");
        assertThat(hostPath(api.volumeOf("unlabelled"))).endsWith(Path.of("hostpath/red"));
    }

    @Test
    void pathPattern_sameForTwoClaims_provisionsOneAtATime() {
        api.createClass("shared", "mooring.dev/hostpath", "'pathPattern':'one-for-all'");
        Path first = hostPath(api.volumeFor("quick", "shared", "1Gi"));
        api.create(CLAIMS, StorageProvisionFixture.claim("slow", "shared", "1Gi"));
        assertThat(api.eventOf("slow", "ProvisioningFailed")).contains(first + " already exists");

        api.deleteWithVolume("quick");
        assertThat(hostPath(api.volumeOf("slow"))).isEqualTo(first).isEmptyDirectory();
    }

    @Test
    void basePath_notAllowedByNode_failsProvisioning() {
        api.createClass("fast", "mooring.dev/local", "'basePath':'" + directory.resolve("fast") + "'");
        api.createClass("outside", "mooring.dev/local", "'basePath':'" + directory.resolve("elsewhere") + "'");
        JsonNode volume = api.volumeFor("quick-one", "fast", "1Gi");
        assertThat(Path.of(volume.at("/spec/local/path").asText()))
                .hasParentRaw(directory.resolve("fast"))
                .isEmptyDirectory();
        api.create(CLAIMS, StorageProvisionFixture.claim("not-allowed", "outside", "1Gi"));

        assertThat(api.eventOf("not-allowed", "ProvisioningFailed"))
                .startsWith("failed to provision volume with StorageClass \"outside\": ")
                .contains("one of the directories that this node allows")
                .contains(directory.resolve("elsewhere").toString());
        assertThat(directory.resolve("elsewhere")).doesNotExist();
        String uid = api.get(CLAIMS, "not-allowed").at("/metadata/uid").asText();
        api.delete(CLAIMS, "not-allowed");
        api.untilGone(CLAIMS, "not-allowed");
        api.untilGone(OPERATIONS, "provision-" + uid);
    }

    @Test
    void onDeleteRetain_claimDeleted_keepsData() throws IOException {
        api.createClass("retaining", "mooring.dev/hostpath", "'onDelete':'retain','pathPattern':'kept/${pvc.name}'");
        Path kept = hostPath(api.volumeFor("keeper", "retaining", "1Gi"));
        Files.writeString(kept.resolve("letter"), "mine");
        api.deleteWithVolume("keeper");
        assertThat(kept.resolve("letter")).hasContent("mine");

        assertThat(hostPath(api.volumeFor("keeper", "retaining", "1Gi"))).isEqualTo(kept);
        assertThat(kept.resolve("letter")).hasContent("mine");
    }

    @Test
    void onDeleteArchive_claimDeleted_renamesDirectory() throws IOException {
        api.createClass("archiving", "mooring.dev/hostpath", "'onDelete':'archive'");
        JsonNode volume = api.volumeFor("archivist", "archiving", "1Gi");
        Path path = hostPath(volume);
        Files.writeString(path.resolve("letter"), "mine");
        api.deleteWithVolume("archivist");

        String uid = volume.at("/metadata/uid").asText();
        Path archived =
                path.resolveSibling("archived-" + volume.at("/metadata/name").asText() + "-" + uid.substring(0, 8));
        assertThat(path).doesNotExist();
        assertThat(archived.resolve("letter")).hasContent("mine");
    }

    @Test
    void blockClaim_largerThanDisk_failsUnlessOvercommitIsSet() throws IOException {
        long total = directory.toFile().getTotalSpace();
        String twice = String.valueOf(2 * total);
        api.createClass("honest", "mooring.dev/block", "");
        api.createClass("generous", "mooring.dev/block", "'overcommit':'true'");
        api.create(CLAIMS, StorageProvisionFixture.claim("greedy", "honest", twice));
        assertThat(api.eventOf("greedy", "ProvisioningFailed"))
                .contains("are missing: request less, free space, or allow it with the parameter overcommit");
        assertThat(StorageProvisionFixture.phase(api.get(CLAIMS, "greedy"))).isEqualTo("Pending");
        api.delete(CLAIMS, "greedy");
        api.untilGone(CLAIMS, "greedy");

        JsonNode volume = api.volumeFor("gifted", "generous", twice);
        assertThat(Files.size(
                        Path.of(volume.at("/spec/csi/volumeAttributes/image").asText())))
                .isBetween(2 * total, 2 * total + 511);
        api.deleteWithVolume("gifted");
    }

    @Test
    void claim_deletedWhileBaseDirectoryIsMissing_leavesNothing() {
        Path missing = directory.resolve("fast/not-mounted");
        api.createClass("nowhere", "mooring.dev/hostpath", "'basePath':'" + missing + "'");
        String uid = api.create(CLAIMS, StorageProvisionFixture.claim("short-lived", "nowhere", "1Gi"))
                .at("/metadata/uid")
                .asText();
        assertThat(api.eventOf("short-lived", "ProvisioningFailed"))
                .contains("Base directory " + missing + " does not exist");
        api.delete(CLAIMS, "short-lived");
        api.untilGone(CLAIMS, "short-lived");
        api.untilGone(OPERATIONS, "provision-" + uid);
        assertThat(api.http().get(VOLUMES + "/pvc-" + uid).code()).isEqualTo(404);
        assertThat(missing).doesNotExist();
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
