package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryWorkerTest {
    @TempDir
    Path temp;

    private Bench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
    }

    private VolumeWorkException failure(VolumeWork work) {
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> bench.workers.perform(work));
        assertThat(e).as("failure of %s", work).isNotNull();
        return e;
    }

    @Test
    void makesADirectoryOnceHoweverOftenItIsAsked() throws Exception {
        WorkDone first = bench.workers.perform(Bench.hostPath("pv-a"));
        Path made = bench.base("hostpath").resolve("pv-a");
        assertThat(first.source().orElseThrow())
                .hasToString("{\"hostPath\":{\"path\":\"" + made + "\",\"type\":\"Directory\"}}");
        assertThat(first.bytes()).isEqualTo(Bench.MEBI);
        Files.writeString(made.resolve("data"), "precious");
        assertThat(bench.workers.perform(Bench.hostPath("pv-a"))).isEqualTo(first);
        assertThat(made.resolve("data")).exists();
        assertThat(Files.readString(bench.base("hostpath").resolve(".mooring/" + Bench.UID)))
                .isEqualTo("{\"volume\":\"pv-a\",\"uid\":\"" + Bench.UID
                        + "\",\"path\":\"pv-a\",\"onDelete\":\"delete\"}\n");
        assertThat(Machine.permissions(bench.base("hostpath").resolve(".mooring")))
                .isEqualTo("700");
    }

    @Test
    void givesThePermissionsAndOwnersOfTheClassWhateverTheUmask() throws Exception {
        Machine.assumeRoot();
        int before = Machine.umask(0077);
        try {
            bench.workers.perform(Bench.hostPath("usual"));
            bench.workers.perform(Bench.as(
                    "pv-b",
                    Bench.OTHER_UID,
                    Bench.provision(
                            StorageNames.LOCAL_PROVISIONER,
                            "own",
                            Map.of("mode", "0750", "uid", "1947", "gid", "1948"))));
        } finally {
            Machine.umask(before);
        }
        assertThat(Machine.permissions(bench.base("hostpath").resolve("usual"))).isEqualTo("777");
        Path own = bench.base("local").resolve("own");
        assertThat(Machine.permissions(own)).isEqualTo("750");
        assertThat(Files.getAttribute(own, "unix:uid")).isEqualTo(1947);
        assertThat(Files.getAttribute(own, "unix:gid")).isEqualTo(1948);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "/etc", "a/../../b", "", ".", ".mooring", ".mooring/x", "archived-x"})
    void refusesPathsThatLeadOutOrIntoItsOwnThings(String path) throws IOException {
        assertThat(failure(Bench.hostPath(path)).reason()).isEqualTo(VolumeWorkException.OUTSIDE_BASE);
        assertThat(Machine.below(bench.settings.dataDirectory())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/etc,                 OutsideBase",
        "$root/allowed/../etc, OutsideBase",
        "$root/allowedx,       OutsideBase",
        "relative,             OutsideBase",
        "$root/allowed/gone,   BaseMissing",
        "$root/allowed/link,   Diverted",
    })
    void refusesBasesThatAreNotAllowedNotThereOrLinks(String base, String reason) throws IOException {
        Files.createSymbolicLink(bench.allowed.resolve("link"), bench.outside);
        String path = base.replace("$root", bench.root.toString());
        VolumeWork work = Bench.provision(StorageNames.HOST_PATH_PROVISIONER, "pv-a", Map.of("basePath", path));
        assertThat(failure(work).reason()).isEqualTo(reason);
        assertThat(Machine.below(bench.outside)).isEmpty();
    }

    @Test
    void refusesALinkAmongTheParents() throws IOException {
        Files.createDirectories(bench.base("hostpath"));
        Files.createSymbolicLink(bench.base("hostpath").resolve("team"), bench.outside);
        VolumeWorkException e = failure(Bench.hostPath("team/claim"));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.DIVERTED);
        assertThat(e).hasMessageContaining("no link is ever followed");
        assertThat(Machine.below(bench.outside)).isEmpty();
    }

    @Test
    void neverTakesNorDeletesWhatSomebodyElseHasMade() throws Exception {
        Path foreign = Files.createDirectories(bench.base("hostpath").resolve("pv-a/precious"));
        assertThat(failure(Bench.hostPath("pv-a")).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        bench.workers.perform(Bench.then(Work.DELETE, Bench.hostPath("pv-a"), Optional.empty()));
        assertThat(foreign).exists();
        WorkDone other = bench.workers.perform(Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("pv-b")));
        other.source()
                .orElseThrow()
                .withObject("hostPath")
                .put("path", foreign.getParent().toString());
        VolumeWorkException e = failure(Bench.then(Work.DELETE, Bench.hostPath("pv-a"), other.source()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.UNMARKED);
        assertThat(foreign).exists();
    }

    @Test
    void deletesOnlyForTheUidItWasMadeFor() throws Exception {
        WorkDone made = bench.workers.perform(Bench.hostPath("pv-a"));
        VolumeWork deletion = Bench.then(Work.DELETE, Bench.hostPath("pv-a"), made.source());
        VolumeWorkException e = failure(Bench.as("pv-a", Bench.OTHER_UID, deletion));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(e).hasMessageContaining(Bench.UID).hasMessageContaining(Bench.OTHER_UID);
        assertThat(bench.base("hostpath").resolve("pv-a")).exists();
    }

    @Test
    void letsThePlaceAloneThatAnotherVolumeGotAfterItWasDeleted() throws Exception {
        WorkDone made = bench.workers.perform(Bench.hostPath("team/claim"));
        bench.delete(Bench.hostPath("team/claim"), made);
        bench.workers.perform(Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("team/claim")));
        WorkDone again = bench.delete(Bench.hostPath("team/claim"), made);
        assertThat(again.note().orElseThrow()).contains("belongs to volume pv-b");
        assertThat(bench.base("hostpath").resolve("team/claim")).exists();
    }

    @Test
    void deletesNothingWhenTheDirectoryWasReplacedByALinkOrAnother() throws Exception {
        WorkDone made = bench.workers.perform(Bench.hostPath("pv-a"));
        Path place = bench.base("hostpath").resolve("pv-a");
        Files.delete(place);
        Files.createSymbolicLink(place, bench.outside);
        Path sentinel = Files.createFile(bench.outside.resolve("sentinel"));
        VolumeWork deletion = Bench.then(Work.DELETE, Bench.hostPath("pv-a"), made.source());
        assertThat(failure(deletion).reason()).isEqualTo(VolumeWorkException.DIVERTED);
        assertThat(sentinel).exists();
        assertThat(place).isSymbolicLink();
    }

    @Test
    void refusesAVolumeInsideAnother() throws Exception {
        bench.workers.perform(Bench.hostPath("pv-a"));
        VolumeWorkException e = failure(Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("pv-a/inner")));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        assertThat(e).hasMessageContaining("volumes do not lie in each other");
    }

    @Test
    void removesParentsItMadeWhenTheyAreEmptyAndNoOthers() throws Exception {
        Files.createDirectories(bench.base("hostpath").resolve("admins"));
        WorkDone a = bench.workers.perform(Bench.hostPath("admins/team/a"));
        WorkDone b = bench.workers.perform(Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("admins/team/b")));
        bench.delete(Bench.hostPath("admins/team/a"), a);
        assertThat(bench.base("hostpath").resolve("admins/team/b")).exists();
        bench.delete(Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("admins/team/b")), b);
        assertThat(Machine.below(bench.base("hostpath"))).containsExactly(".mooring", "admins");
    }

    @Test
    void findsTheBaseOfAVolumeWhoseClassIsGone() throws Exception {
        Path base = Files.createDirectory(bench.allowed.resolve("disk"));
        VolumeWork work =
                Bench.provision(StorageNames.HOST_PATH_PROVISIONER, "team/claim", Map.of("basePath", base.toString()));
        WorkDone made = bench.workers.perform(work);
        bench.delete(Bench.hostPath(""), made);
        assertThat(Machine.below(base)).containsExactly(".mooring");
    }

    @Test
    void deletesNothingWhileTheDiskOfTheBaseIsAway() throws Exception {
        WorkDone made = bench.workers.perform(Bench.hostPath("pv-a"));
        Files.move(bench.base("hostpath"), bench.outside.resolve("unmounted"));
        VolumeWork deletion = Bench.then(Work.DELETE, Bench.hostPath("pv-a"), made.source());
        assertThat(failure(deletion).reason()).isEqualTo(VolumeWorkException.BASE_MISSING);
    }

    @Test
    void deletesNothingWhileSomethingIsMountedInIt() throws Exception {
        Machine.assumeRoot();
        WorkDone made = bench.workers.perform(Bench.hostPath("pv-a"));
        Path point = Files.createDirectory(bench.base("hostpath").resolve("pv-a/point"));
        Files.createFile(bench.outside.resolve("sentinel"));
        VolumeWork deletion = Bench.then(Work.DELETE, Bench.hostPath("pv-a"), made.source());
        Machine.run("mount", "--bind", bench.outside.toString(), point.toString());
        try {
            VolumeWorkException e = failure(deletion);
            assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNTED_BELOW);
            assertThat(e).hasMessageContaining(point.toString());
        } finally {
            Machine.run("umount", point.toString());
        }
        assertThat(bench.outside.resolve("sentinel")).exists();
        bench.workers.perform(deletion);
        assertThat(bench.base("hostpath").resolve("pv-a")).doesNotExist();
    }

    @Test
    void givesWhatWasRetainedToTheNextVolumeAtThatPathIfItIsRetainedAgain() throws Exception {
        VolumeWork work = Bench.provision(StorageNames.HOST_PATH_PROVISIONER, "t/c", Map.of("onDelete", "retain"));
        WorkDone made = bench.workers.perform(work);
        Path data = Files.createFile(bench.base("hostpath").resolve("t/c/data"));
        VolumeWork next = Bench.as("pv-b", Bench.OTHER_UID, work);
        assertThat(failure(next).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        assertThat(bench.delete(work, made).note().orElseThrow()).contains("kept the data");
        VolumeWork deleting = Bench.as("pv-b", Bench.OTHER_UID, Bench.hostPath("t/c"));
        assertThat(failure(deleting).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        assertThat(bench.workers.perform(next).note().orElseThrow()).contains("took over");
        assertThat(bench.workers.perform(next).source()).isEqualTo(made.source());
        bench.delete(next, made);
        assertThat(data).exists();
    }

    @Test
    void saysThatSizeIsNotEnforcedWhenItGrows() throws Exception {
        WorkDone made = bench.workers.perform(Bench.hostPath("pv-a"));
        WorkDone grown = bench.workers.perform(
                Bench.sized(5 * Bench.MEBI, Bench.then(Work.GROW, Bench.hostPath("pv-a"), made.source())));
        assertThat(grown.bytes()).isEqualTo(5 * Bench.MEBI);
        assertThat(grown.note().orElseThrow()).contains("not enforced");
        assertThat(grown.source()).isEqualTo(made.source());
    }
}
