package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with a crash before each system call of an operation, which is then repeated or undone. */
class VolumeWorkCrashTest {
    private static final int MAX_CALLS = 1000;

    @TempDir
    Path temp;

    private static VolumeWork work(String provisioner, String onDelete) {
        return VolumeWorkFixture.provision(provisioner, "team/claim", Map.of("onDelete", onDelete));
    }

    /** Operation that crashes at one position, with its own fixture. */
    private interface CrashScenario {
        boolean crashes(VolumeWorkFixture fixture, int at) throws Exception;
    }

    private void crashAtEachCall(CrashScenario scenario) throws Exception {
        int at = 0;
        while (scenario.crashes(new VolumeWorkFixture(Files.createDirectory(temp.resolve("crash-" + at))), at)) {
            at++;
            assertThat(at).isLessThan(MAX_CALLS);
        }
        assertThat(at).as("crash positions").isGreaterThan(20);
    }

    private static boolean crashes(VolumeWorkFixture fixture, VolumeWork work, int at) throws Exception {
        try {
            fixture.workers(FaultySystemCalls.after(at)).perform(work);
            return false;
        } catch (FaultySystemCalls.Crash expected) {
            return true;
        }
    }

    private static String kind(String provisioner) {
        return provisioner.substring(provisioner.indexOf('/') + 1);
    }

    private static String dataPath(String provisioner) {
        return provisioner.equals(BlockSource.PROVISIONER) ? "team/claim.img" : "team/claim";
    }

    @ParameterizedTest
    @CsvSource({HostPathSource.PROVISIONER, BlockSource.PROVISIONER})
    void provision_againAfterCrash_succeeds(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        crashAtEachCall((fixture, at) -> {
            boolean crashed = crashes(fixture, work, at);
            VolumeWorkResult done = fixture.workers.perform(work);
            assertThat(done.source()).isPresent();
            assertThat(HostMachine.below(fixture.base(kind(provisioner))))
                    .containsExactly(".mooring", ".mooring/" + VolumeWorkFixture.UID, "team", dataPath(provisioner));
            assertThat(HostMachine.permissions(fixture.base(kind(provisioner)))).isEqualTo("700");
            assertThat(HostMachine.permissions(fixture.base(kind(provisioner)).resolve("team")))
                    .isEqualTo("711");
            return crashed;
        });
    }

    @ParameterizedTest
    @CsvSource({HostPathSource.PROVISIONER, BlockSource.PROVISIONER})
    void delete_afterCrashedProvision_leavesNothing(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        crashAtEachCall((fixture, at) -> {
            boolean crashed = crashes(fixture, work, at);
            fixture.workers.perform(VolumeWorkFixture.then(OperationType.DELETE, work, Optional.empty()));
            assertNothingLeft(fixture, kind(provisioner));
            return crashed;
        });
    }

    private static void assertNothingLeft(VolumeWorkFixture fixture, String kind) throws IOException {
        if (Files.exists(fixture.base(kind).resolve(".mooring"))) {
            assertThat(HostMachine.below(fixture.base(kind))).containsExactly(".mooring");
        }
    }

    @ParameterizedTest
    @CsvSource({HostPathSource.PROVISIONER, BlockSource.PROVISIONER})
    void delete_againAfterCrash_leavesNothing(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        crashAtEachCall((fixture, at) -> {
            VolumeWorkResult made = fixture.workers.perform(work);
            VolumeWork deletion = VolumeWorkFixture.then(OperationType.DELETE, work, made.source());
            boolean crashed = crashes(fixture, deletion, at);
            fixture.workers.perform(deletion);
            assertThat(HostMachine.below(fixture.base(kind(provisioner)))).containsExactly(".mooring");
            return crashed;
        });
    }

    @ParameterizedTest
    @CsvSource({"archive", "retain"})
    void delete_crashWithArchiveOrRetain_keepsData(String onDelete) throws Exception {
        VolumeWork work = work(HostPathSource.PROVISIONER, onDelete);
        crashAtEachCall((fixture, at) -> {
            VolumeWorkResult made = fixture.workers.perform(work);
            Path base = fixture.base("hostpath");
            Files.writeString(base.resolve("team/claim/data"), "precious");
            VolumeWork deletion = VolumeWorkFixture.then(OperationType.DELETE, work, made.source());
            boolean crashed = crashes(fixture, deletion, at);
            fixture.workers.perform(deletion);
            List<String> expected = onDelete.equals("archive")
                    ? List.of("archived-pv-a-0123abcd", "archived-pv-a-0123abcd/data")
                    : List.of("team", "team/claim", "team/claim/data");
            assertThat(HostMachine.below(base))
                    .filteredOn(each -> !each.startsWith("."))
                    .isEqualTo(expected);
            assertThat(HostMachine.below(base.resolve(".mooring")))
                    .hasSize(2)
                    .allMatch(each -> each.contains(".notes"));
            return crashed;
        });
    }
}
