package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The process dies before each single system call of a work; the work is then done again, or undone. */
class CrashTest {
    private static final int MORE_THAN_ANY_WORK_NEEDS = 1000;

    @TempDir
    Path temp;

    private static VolumeWork work(String provisioner, String onDelete) {
        return Bench.provision(provisioner, "team/claim", Map.of("onDelete", onDelete));
    }

    /** Each crash at a bench of its own. */
    private interface Round {
        boolean crashes(Bench bench, int at) throws Exception;
    }

    private void atEachCall(Round round) throws Exception {
        int at = 0;
        while (round.crashes(new Bench(Files.createDirectory(temp.resolve("crash-" + at))), at)) {
            at++;
            assertThat(at).isLessThan(MORE_THAN_ANY_WORK_NEEDS);
        }
        assertThat(at).as("calls that were tried").isGreaterThan(20);
    }

    private static boolean crashes(Bench bench, VolumeWork work, int at) throws Exception {
        try {
            bench.workers(CallsWithout.after(at)).perform(work);
            return false;
        } catch (CallsWithout.Crash expected) {
            return true;
        }
    }

    private static String kind(String provisioner) {
        return provisioner.substring(provisioner.indexOf('/') + 1);
    }

    private static String place(String provisioner) {
        return provisioner.equals(StorageNames.BLOCK_PROVISIONER) ? "team/claim.img" : "team/claim";
    }

    @ParameterizedTest
    @CsvSource({StorageNames.HOST_PATH_PROVISIONER, StorageNames.BLOCK_PROVISIONER})
    void provisioningAgainAfterACrashEndsInTheSameState(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        atEachCall((bench, at) -> {
            boolean crashed = crashes(bench, work, at);
            WorkDone done = bench.workers.perform(work);
            assertThat(done.source()).isPresent();
            assertThat(Machine.below(bench.base(kind(provisioner))))
                    .containsExactly(".mooring", ".mooring/" + Bench.UID, "team", place(provisioner));
            assertThat(Machine.permissions(bench.base(kind(provisioner)))).isEqualTo("711");
            assertThat(Machine.permissions(bench.base(kind(provisioner)).resolve("team")))
                    .isEqualTo("711");
            return crashed;
        });
    }

    @ParameterizedTest
    @CsvSource({StorageNames.HOST_PATH_PROVISIONER, StorageNames.BLOCK_PROVISIONER})
    void deletingWhatAProvisionThatCrashedMayHaveLeftLeavesNothing(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        atEachCall((bench, at) -> {
            boolean crashed = crashes(bench, work, at);
            bench.workers.perform(Bench.then(Work.DELETE, work, Optional.empty()));
            assertNothingLeft(bench, kind(provisioner));
            return crashed;
        });
    }

    private static void assertNothingLeft(Bench bench, String kind) throws IOException {
        if (Files.exists(bench.base(kind).resolve(".mooring"))) {
            assertThat(Machine.below(bench.base(kind))).containsExactly(".mooring");
        }
    }

    @ParameterizedTest
    @CsvSource({StorageNames.HOST_PATH_PROVISIONER, StorageNames.BLOCK_PROVISIONER})
    void deletingAgainAfterACrashLeavesNothing(String provisioner) throws Exception {
        VolumeWork work = work(provisioner, "delete");
        atEachCall((bench, at) -> {
            WorkDone made = bench.workers.perform(work);
            VolumeWork deletion = Bench.then(Work.DELETE, work, made.source());
            boolean crashed = crashes(bench, deletion, at);
            bench.workers.perform(deletion);
            assertThat(Machine.below(bench.base(kind(provisioner)))).containsExactly(".mooring");
            return crashed;
        });
    }

    @ParameterizedTest
    @CsvSource({"archive", "retain"})
    void whatIsToBeKeptIsKeptWhateverCallItCrashesAt(String onDelete) throws Exception {
        VolumeWork work = work(StorageNames.HOST_PATH_PROVISIONER, onDelete);
        atEachCall((bench, at) -> {
            WorkDone made = bench.workers.perform(work);
            Path base = bench.base("hostpath");
            Files.writeString(base.resolve("team/claim/data"), "precious");
            VolumeWork deletion = Bench.then(Work.DELETE, work, made.source());
            boolean crashed = crashes(bench, deletion, at);
            bench.workers.perform(deletion);
            List<String> expected = onDelete.equals("archive")
                    ? List.of("archived-pv-a-0123abcd", "archived-pv-a-0123abcd/data")
                    : List.of("team", "team/claim", "team/claim/data");
            assertThat(Machine.below(base))
                    .filteredOn(each -> !each.startsWith("."))
                    .isEqualTo(expected);
            assertThat(Machine.below(base.resolve(".mooring"))).hasSize(2).allMatch(each -> each.contains(".notes"));
            return crashed;
        });
    }
}
