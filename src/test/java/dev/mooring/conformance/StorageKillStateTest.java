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

/** That what the killing tests look for would be found. */
class StorageKillStateTest {
    @TempDir
    private Path base;

    private JsonNode claim;
    private JsonNode made;
    private JsonNode byHand;

    @BeforeEach
    void allIsWell() throws IOException {
        claim = json("{'metadata':{'name':'c','uid':'1'},'spec':{'volumeName':'made'},"
                + "'status':{'phase':'Bound','volumeName':'made'}}");
        made = volume("made", "2", "1", "Bound");
        byHand = json("{'metadata':{'name':'hand','uid':'3'},'spec':{'hostPath':{'path':'/srv'}},"
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
                .problems(new StorageKillState.Wanted(kept, Set.of("hand"), base));
    }

    private List<String> problems() {
        return problems(Set.of("c"), made, byHand);
    }

    @Test
    void findsNothingIfAllIsWell() {
        assertThat(problems()).isEmpty();
    }

    @Test
    void findsDataAndMarkersThatNobodyHas() throws IOException {
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
    void findsDataThatIsLost() throws IOException {
        Files.delete(base.resolve("hostpath/made"));
        assertThat(problems()).containsExactly("lost data: " + base.resolve("hostpath/made"));
    }

    @Test
    void findsASecondVolumeOfAClaim() {
        assertThat(problems(Set.of("c"), made, byHand, volume("second", "5", "1", "Bound")))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("volume second has no claim");
    }

    @Test
    void findsAVolumeThatOutlivedItsClaim() {
        assertThat(problems(Set.of("c"), made, byHand, volume("old", "6", "9", "Released")))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("volume old has no claim");
    }

    @Test
    void findsClaimsThatShouldNotBeThereAndThatShould() {
        assertThat(problems(Set.of("d"), made, byHand))
                .hasSize(2)
                .anyMatch(each -> each.startsWith("deleted, but still there: claim c"))
                .contains("never deleted, but gone: claim d");
    }

    @Test
    void findsAClaimOnAnothersVolume() {
        assertThat(problems(Set.of("c"), volume("made", "2", "9", "Bound"), byHand))
                .anyMatch(each -> each.startsWith("claim c is Bound to another's volume"));
    }

    @Test
    void findsThatAUsersVolumeIsGone() {
        assertThat(problems(Set.of("c"), made)).containsExactly("a user's volume is gone: hand");
    }
}
