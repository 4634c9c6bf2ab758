package dev.mooring.conformance;

import static dev.mooring.conformance.StorageProvisionApi.CLAIMS;
import static dev.mooring.conformance.StorageProvisionApi.CLASSES;
import static dev.mooring.conformance.StorageProvisionApi.OPERATIONS;
import static dev.mooring.conformance.StorageProvisionApi.VOLUMES;
import static dev.mooring.conformance.StorageProvisionApi.hostPath;
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

/** What the parameters of a class do, from the class to the disk, on a server that all tests share. */
@Timeout(60)
class StorageProvisionTest {
    @TempDir
    private static Path directory;

    private static StorageProvisionApi api;

    @BeforeAll
    static void start() throws IOException {
        Files.createDirectory(directory.resolve("fast"));
        api = StorageProvisionApi.start(
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
    void refusesAClassThatCannotBeMeant(String provisioner, String parameters, String words) {
        Reply reply = api.http()
                .send(
                        "POST",
                        CLASSES,
                        StorageProvisionApi.storageClass("wrong", "mooring.dev/" + provisioner, parameters),
                        "Content-Type",
                        "application/json");

        assertThat(reply.code()).as(reply.text()).isEqualTo(422);
        assertThat(reply.reason()).isEqualTo("Invalid");
        assertThat(reply.message())
                .startsWith("StorageClass.storage.k8s.io \"wrong\" is invalid: ")
                .contains(words);
    }

    @Test
    void refusesToSayTwiceWhatBecomesOfTheData() {
        Reply reply = api.http()
                .post(
                        CLASSES,
                        StorageProvisionApi.storageClass(
                                "wrong", "mooring.dev/nfs", "'onDelete':'archive'", "'reclaimPolicy':'Retain'"));
        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.message()).contains("has no effect with reclaimPolicy Retain");
    }

    @Test
    void leavesTheParametersOfOthersAlone() {
        api.makeClass("others", "vendor.example/disk", "'pathPattern':'/..','anything':'goes'");
    }

    @Test
    void makesDirectoriesWhereThePatternSaysAndTakesTheirParentsAwayAgain() {
        api.makeClass(
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
    void tellsAClaimWhosePatternHasNoValue() {
        api.makeClass("labelled", "mooring.dev/hostpath", "'pathPattern':'${pvc.labels[\\u0027team\\u0027]}'");
        api.make(CLAIMS, StorageProvisionApi.claim("unlabelled", "labelled", "1Gi"));

        assertThat(api.eventOf("unlabelled", "ProvisioningFailed"))
                .contains("${pvc.labels['team']} is \"\": the claim does not have it");
        api.http().merge(CLAIMS + "/unlabelled", "{'metadata':{'labels':{'team':'red'}}}");
        assertThat(hostPath(api.volumeOf("unlabelled"))).endsWith(Path.of("hostpath/red"));
    }

    @Test
    void twoClaimsAreNeverGivenOneDirectory() {
        api.makeClass("shared", "mooring.dev/hostpath", "'pathPattern':'one-for-all'");
        Path first = hostPath(api.volumeFor("quick", "shared", "1Gi"));
        api.make(CLAIMS, StorageProvisionApi.claim("slow", "shared", "1Gi"));
        assertThat(api.eventOf("slow", "ProvisioningFailed")).contains("Expected nothing at " + first);

        api.deleteWithVolume("quick");
        assertThat(hostPath(api.volumeOf("slow"))).isEqualTo(first).isEmptyDirectory();
    }

    @Test
    void usesAnotherBaseOnlyIfTheNodeAllowsIt() {
        api.makeClass("fast", "mooring.dev/local", "'basePath':'" + directory.resolve("fast") + "'");
        api.makeClass("outside", "mooring.dev/local", "'basePath':'" + directory.resolve("elsewhere") + "'");
        JsonNode volume = api.volumeFor("quick-one", "fast", "1Gi");
        assertThat(Path.of(volume.at("/spec/local/path").asText()))
                .hasParentRaw(directory.resolve("fast"))
                .isEmptyDirectory();
        api.make(CLAIMS, StorageProvisionApi.claim("not-allowed", "outside", "1Gi"));

        assertThat(api.eventOf("not-allowed", "ProvisioningFailed"))
                .startsWith("failed to provision volume with StorageClass \"outside\": ")
                .contains("one of the directories this node allows")
                .contains(directory.resolve("elsewhere").toString());
        assertThat(directory.resolve("elsewhere")).doesNotExist();
        String uid = api.get(CLAIMS, "not-allowed").at("/metadata/uid").asText();
        api.delete(CLAIMS, "not-allowed");
        api.untilGone(CLAIMS, "not-allowed");
        api.untilGone(OPERATIONS, "provision-" + uid);
    }

    @Test
    void keepsDataThatIsToBeRetained() throws IOException {
        api.makeClass("retaining", "mooring.dev/hostpath", "'onDelete':'retain','pathPattern':'kept/${pvc.name}'");
        Path kept = hostPath(api.volumeFor("keeper", "retaining", "1Gi"));
        Files.writeString(kept.resolve("letter"), "mine");
        api.deleteWithVolume("keeper");
        assertThat(kept.resolve("letter")).hasContent("mine");

        assertThat(hostPath(api.volumeFor("keeper", "retaining", "1Gi"))).isEqualTo(kept);
        assertThat(kept.resolve("letter")).hasContent("mine");
    }

    @Test
    void archivesDataThatIsToBeArchived() throws IOException {
        api.makeClass("archiving", "mooring.dev/hostpath", "'onDelete':'archive'");
        JsonNode volume = api.volumeFor("archivist", "archiving", "1Gi");
        Path place = hostPath(volume);
        Files.writeString(place.resolve("letter"), "mine");
        api.deleteWithVolume("archivist");

        String uid = volume.at("/metadata/uid").asText();
        Path archived =
                place.resolveSibling("archived-" + volume.at("/metadata/name").asText() + "-" + uid.substring(0, 8));
        assertThat(place).doesNotExist();
        assertThat(archived.resolve("letter")).hasContent("mine");
    }

    @Test
    void doesNotPromiseMoreThanTheDiskHoldsUnlessTold() throws IOException {
        long total = directory.toFile().getTotalSpace();
        String twice = String.valueOf(2 * total);
        api.makeClass("honest", "mooring.dev/block", "");
        api.makeClass("generous", "mooring.dev/block", "'overcommit':'true'");
        api.make(CLAIMS, StorageProvisionApi.claim("greedy", "honest", twice));
        assertThat(api.eventOf("greedy", "ProvisioningFailed"))
                .contains("are missing; ask for less, make room, or allow it with the parameter overcommit");
        assertThat(StorageProvisionApi.phase(api.get(CLAIMS, "greedy"))).isEqualTo("Pending");
        api.delete(CLAIMS, "greedy");
        api.untilGone(CLAIMS, "greedy");

        JsonNode volume = api.volumeFor("gifted", "generous", twice);
        assertThat(Files.size(
                        Path.of(volume.at("/spec/csi/volumeAttributes/image").asText())))
                .isBetween(2 * total, 2 * total + 511);
        api.deleteWithVolume("gifted");
    }

    @Test
    void aClaimDeletedWhileItsDiskIsNotMountedLeavesNothing() {
        Path missing = directory.resolve("fast/not-mounted");
        api.makeClass("nowhere", "mooring.dev/hostpath", "'basePath':'" + missing + "'");
        String uid = api.make(CLAIMS, StorageProvisionApi.claim("short-lived", "nowhere", "1Gi"))
                .at("/metadata/uid")
                .asText();
        assertThat(api.eventOf("short-lived", "ProvisioningFailed"))
                .contains("Expected the directory " + missing + " to make volumes in it, but it is not there");
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
