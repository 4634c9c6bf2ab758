package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@link StorageKillState} finds the problems that the kill tests look for. */
class StorageKillStateTest {
    @TempDir
    private Path base;

    private JsonNode claim;
    private JsonNode provisioned;
    private JsonNode volumeOfUser;

    @BeforeEach
    void prepareConsistentState() throws IOException {
        claim = json("{'metadata':{'name':'c','uid':'1'},'spec':{'volumeName':'made'},"
                + "'status':{'phase':'Bound','volumeName':'made'}}");
        provisioned = volume("made", "2", "1", "Bound");
        volumeOfUser = json("{'metadata':{'name':'hand','uid':'3'},'spec':{'hostPath':{'path':'/srv'}},"
                + "'status':{'phase':'Available'}}");
        Files.createDirectories(base.resolve("hostpath/made"));
        Files.createDirectories(base.resolve("hostpath/.mooring"));
        Files.createFile(base.resolve("hostpath/.mooring/2"));
    }

    private JsonNode volume(String name, String uid, String claimUid, String phase) {
        return json("{'metadata':{'name':'" + name + "','uid':'" + uid + "'},'spec':{'claimRef':{'uid':'" + claimUid
                + "'},'hostPath':{'path':'" + base.resolve("hostpath").resolve(name) + "'}},'status':{'phase':'" + phase
                + "'}}");
    }

    private static JsonNode json(String text) {
        try {
            return ApiUnderTest.JSON.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private List<String> problems(Set<String> kept, JsonNode... volumes) {
        return new StorageKillState(List.of(claim), List.of(volumes), List.of(), List.of())
                .problems(new StorageKillState.ExpectedState(kept, Set.of("hand"), base));
    }

    private List<String> problems() {
        return problems(Set.of("c"), provisioned, volumeOfUser);
    }

    @Test
    void problems_consistentState_isEmpty() {
        assertThat(problems()).isEmpty();
    }

    @Test
    void problems_dataAndMarkersWithoutVolume_areReportedAsLeaked() throws IOException {
        Files.createDirectories(base.resolve("hostpath/orphan"));
        Files.createFile(base.resolve("hostpath/.mooring/4.new"));
        Files.createDirectories(base.resolve("block"));
        Files.createFile(base.resolve("block/orphan.img"));

        assertThat(problems())
                .containsExactly(
                        "leaked data: " + base.resolve("block/orphan.img"),
                        "leaked data: " + base.resolve("hostpath/orphan"),
                        "leaked markers: 4.new");
    }

    @Test
    void problems_dataOfVolumeMissing_isReportedAsLost() throws IOException {
        Files.delete(base.resolve("hostpath/made"));
        assertThat(problems()).containsExactly("lost data: " + base.resolve("hostpath/made"));
    }

    @Test
    void problems_secondVolumeOfClaim_isReported() {
        assertThat(problems(Set.of("c"), provisioned, volumeOfUser, volume("second", "5", "1", "Bound")))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("volume second has no claim");
    }

    @Test
    void problems_volumeOfDeletedClaim_isReported() {
        assertThat(problems(Set.of("c"), provisioned, volumeOfUser, volume("old", "6", "9", "Released")))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("volume old has no claim");
    }

    @Test
    void problems_unexpectedAndMissingClaims_areReported() {
        assertThat(problems(Set.of("d"), provisioned, volumeOfUser))
                .hasSize(2)
                .anyMatch(each -> each.startsWith("deleted, but still present: claim c"))
                .contains("not deleted, but missing: claim d");
    }

    @Test
    void problems_claimBoundToVolumeOfOtherClaim_isReported() {
        assertThat(problems(Set.of("c"), volume("made", "2", "9", "Bound"), volumeOfUser))
                .anyMatch(each -> each.startsWith("claim c is Bound to the volume of another claim"));
    }

    @Test
    void problems_volumeOfUserMissing_isReported() {
        assertThat(problems(Set.of("c"), provisioned)).containsExactly("missing volume of a user: hand");
    }
}
