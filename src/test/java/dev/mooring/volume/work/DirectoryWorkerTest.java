package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.HostMachine;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
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

    private VolumeWorkFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
    }

    private VolumeWorkException failure(VolumeWork work) {
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(work));
        assertThat(e).as("failure of %s", work).isNotNull();
        return e;
    }

    @Test
    void provision_again_keepsDirectory() throws Exception {
        VolumeWorkResult first = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        Path made = fixture.base("hostpath").resolve("pv-a");
        assertThat(first.source().orElseThrow())
                .hasToString("{\"hostPath\":{\"path\":\"" + made + "\",\"type\":\"Directory\"}}");
        assertThat(first.bytes()).isEqualTo(VolumeWorkFixture.MEBI);
        Files.writeString(made.resolve("data"), "precious");
        assertThat(fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"))).isEqualTo(first);
        assertThat(made.resolve("data")).exists();
        assertThat(Files.readString(fixture.base("hostpath").resolve(".mooring/" + VolumeWorkFixture.UID)))
                .isEqualTo(
                        "{\"volume\":\"pv-a\",\"uid\":\"" + VolumeWorkFixture.UID
                                + "\",\"path\":\"pv-a\",\"onDelete\":\"delete\",\"claim\":{\"namespace\":\"team-a\",\"namespaceUID\":\"uid-of-team-a\",\"name\":\"data\"}}\n");
        assertThat(HostMachine.permissions(fixture.base("hostpath").resolve(".mooring")))
                .isEqualTo("700");
    }

    @Test
    void provision_parametersOfClass_setModeAndOwner() throws Exception {
        HostMachine.assumeRoot();
        int before = HostMachine.umask(0077);
        try {
            fixture.workers.perform(VolumeWorkFixture.hostPath("usual"));
            fixture.workers.perform(VolumeWorkFixture.as(
                    "pv-b",
                    VolumeWorkFixture.OTHER_UID,
                    VolumeWorkFixture.provision(
                            LocalSource.PROVISIONER, "own", Map.of("mode", "0750", "uid", "1947", "gid", "1948"))));
        } finally {
            HostMachine.umask(before);
        }
        assertThat(HostMachine.permissions(fixture.base("hostpath").resolve("usual")))
                .isEqualTo("777");
        Path own = fixture.base("local").resolve("own");
        assertThat(HostMachine.permissions(own)).isEqualTo("750");
        assertThat(Files.getAttribute(own, "unix:uid")).isEqualTo(1947);
        assertThat(Files.getAttribute(own, "unix:gid")).isEqualTo(1948);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "/etc", "a/../../b", "", ".", ".mooring", ".mooring/x", "archived-x"})
    void provision_pathOutsideBaseOrReserved_fails(String path) throws IOException {
        assertThat(failure(VolumeWorkFixture.hostPath(path)).reason()).isEqualTo(VolumeWorkException.OUTSIDE_BASE);
        assertThat(HostMachine.below(fixture.settings.dataDirectory())).isEmpty();
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
    void provision_invalidBasePath_fails(String base, String reason) throws IOException {
        Files.createSymbolicLink(fixture.allowed.resolve("link"), fixture.outside);
        String path = base.replace("$root", fixture.root.toString());
        VolumeWork work = VolumeWorkFixture.provision(HostPathSource.PROVISIONER, "pv-a", Map.of("basePath", path));
        assertThat(failure(work).reason()).isEqualTo(reason);
        assertThat(HostMachine.below(fixture.outside)).isEmpty();
    }

    @Test
    void provision_parentIsLink_fails() throws IOException {
        Files.createDirectories(fixture.base("hostpath"));
        Files.createSymbolicLink(fixture.base("hostpath").resolve("team"), fixture.outside);
        VolumeWorkException e = failure(VolumeWorkFixture.hostPath("team/claim"));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.DIVERTED);
        assertThat(e).hasMessageContaining("links are never followed");
        assertThat(HostMachine.below(fixture.outside)).isEmpty();
    }

    @Test
    void worker_foreignDirectory_isNeitherUsedNorDeleted() throws Exception {
        Path foreign = Files.createDirectories(fixture.base("hostpath").resolve("pv-a/precious"));
        assertThat(failure(VolumeWorkFixture.hostPath("pv-a")).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        fixture.workers.perform(
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), Optional.empty()));
        assertThat(foreign).exists();
        VolumeWorkResult other = fixture.workers.perform(
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("pv-b")));
        other.source()
                .orElseThrow()
                .withObject("hostPath")
                .put("path", foreign.getParent().toString());
        VolumeWorkException e = failure(
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), other.source()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.UNMARKED);
        assertThat(foreign).exists();
    }

    @Test
    void delete_otherUid_fails() throws Exception {
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        VolumeWork deletion =
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), made.source());
        VolumeWorkException e = failure(VolumeWorkFixture.as("pv-a", VolumeWorkFixture.OTHER_UID, deletion));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(e).hasMessageContaining(VolumeWorkFixture.UID).hasMessageContaining(VolumeWorkFixture.OTHER_UID);
        assertThat(fixture.base("hostpath").resolve("pv-a")).exists();
    }

    @Test
    void delete_pathReusedByOtherVolume_keepsIt() throws Exception {
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("team/claim"));
        fixture.delete(VolumeWorkFixture.hostPath("team/claim"), made);
        fixture.workers.perform(
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("team/claim")));
        VolumeWorkResult again = fixture.delete(VolumeWorkFixture.hostPath("team/claim"), made);
        assertThat(again.note().orElseThrow()).contains("belongs to volume pv-b");
        assertThat(fixture.base("hostpath").resolve("team/claim")).exists();
    }

    @Test
    void delete_directoryReplacedByLink_fails() throws Exception {
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        Path place = fixture.base("hostpath").resolve("pv-a");
        Files.delete(place);
        Files.createSymbolicLink(place, fixture.outside);
        Path sentinel = Files.createFile(fixture.outside.resolve("sentinel"));
        VolumeWork deletion =
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), made.source());
        assertThat(failure(deletion).reason()).isEqualTo(VolumeWorkException.DIVERTED);
        assertThat(sentinel).exists();
        assertThat(place).isSymbolicLink();
    }

    @Test
    void provision_pathInsideOtherVolume_fails() throws Exception {
        fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        VolumeWorkException e = failure(
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("pv-a/inner")));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        assertThat(e).hasMessageContaining("volumes cannot be nested");
    }

    @Test
    void delete_removesOnlyEmptyParentsItCreated() throws Exception {
        Files.createDirectories(fixture.base("hostpath").resolve("admins"));
        VolumeWorkResult a = fixture.workers.perform(VolumeWorkFixture.hostPath("admins/team/a"));
        VolumeWorkResult b = fixture.workers.perform(
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("admins/team/b")));
        fixture.delete(VolumeWorkFixture.hostPath("admins/team/a"), a);
        assertThat(fixture.base("hostpath").resolve("admins/team/b")).exists();
        fixture.delete(
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("admins/team/b")),
                b);
        assertThat(HostMachine.below(fixture.base("hostpath"))).containsExactly(".mooring", "admins");
    }

    @Test
    void delete_classDeleted_findsBaseOfVolume() throws Exception {
        Path base = Files.createDirectory(fixture.allowed.resolve("disk"));
        VolumeWork work = VolumeWorkFixture.provision(
                HostPathSource.PROVISIONER, "team/claim", Map.of("basePath", base.toString()));
        VolumeWorkResult made = fixture.workers.perform(work);
        fixture.delete(VolumeWorkFixture.hostPath(""), made);
        assertThat(HostMachine.below(base)).containsExactly(".mooring");
    }

    @Test
    void delete_baseMissing_fails() throws Exception {
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        Files.move(fixture.base("hostpath"), fixture.outside.resolve("unmounted"));
        VolumeWork deletion =
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), made.source());
        assertThat(failure(deletion).reason()).isEqualTo(VolumeWorkException.BASE_MISSING);
    }

    @Test
    void delete_mountInside_deletesNothing() throws Exception {
        HostMachine.assumeRoot();
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        Path point = Files.createDirectory(fixture.base("hostpath").resolve("pv-a/point"));
        Files.createFile(fixture.outside.resolve("sentinel"));
        VolumeWork deletion =
                VolumeWorkFixture.then(OperationType.DELETE, VolumeWorkFixture.hostPath("pv-a"), made.source());
        HostMachine.run("mount", "--bind", fixture.outside.toString(), point.toString());
        try {
            VolumeWorkException e = failure(deletion);
            assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNTED_BELOW);
            assertThat(e).hasMessageContaining(point.toString());
        } finally {
            HostMachine.run("umount", point.toString());
        }
        assertThat(fixture.outside.resolve("sentinel")).exists();
        fixture.workers.perform(deletion);
        assertThat(fixture.base("hostpath").resolve("pv-a")).doesNotExist();
    }

    @Test
    void provision_retainedDataAtPath_isAdoptedIfRetainedAgain() throws Exception {
        VolumeWork work = VolumeWorkFixture.provision(HostPathSource.PROVISIONER, "t/c", Map.of("onDelete", "retain"));
        VolumeWorkResult made = fixture.workers.perform(work);
        Path data = Files.createFile(fixture.base("hostpath").resolve("t/c/data"));
        VolumeWork next = VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, work);
        assertThat(failure(next).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        assertThat(fixture.delete(work, made).note().orElseThrow()).contains("retained the data");
        VolumeWork deleting =
                VolumeWorkFixture.as("pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.hostPath("t/c"));
        assertThat(failure(deleting).reason()).isEqualTo(VolumeWorkException.KEPT);
        assertThat(fixture.workers.perform(next).note().orElseThrow()).contains("adopted");
        assertThat(fixture.workers.perform(next).source()).isEqualTo(made.source());
        fixture.delete(next, made);
        assertThat(data).exists();
    }

    @Test
    void grow_reportsThatSizeIsNotEnforced() throws Exception {
        VolumeWorkResult made = fixture.workers.perform(VolumeWorkFixture.hostPath("pv-a"));
        VolumeWorkResult grown = fixture.workers.perform(VolumeWorkFixture.sized(
                5 * VolumeWorkFixture.MEBI,
                VolumeWorkFixture.then(OperationType.GROW, VolumeWorkFixture.hostPath("pv-a"), made.source())));
        assertThat(grown.bytes()).isEqualTo(5 * VolumeWorkFixture.MEBI);
        assertThat(grown.note().orElseThrow()).contains("not enforced");
        assertThat(grown.source()).isEqualTo(made.source());
    }
}
