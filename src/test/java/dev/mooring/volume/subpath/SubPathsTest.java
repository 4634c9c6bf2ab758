package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.testing.ChildProcesses;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubPathsTest {
    private static final SystemCalls UNUSED_CALLS = FaultySystemCalls.disturbedBy(() -> {
        throw new AssertionError("The volume must be accessed by a child process only");
    });

    @TempDir
    Path temp;

    private SubPathFixture fixture;

    @BeforeEach
    void node() throws Exception {
        fixture = new SubPathFixture(temp);
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static long inode(Path path) throws Exception {
        return (long) Files.getAttribute(path, "unix:ino");
    }

    private VolumeException failure(String subPath) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> fixture.prepare(subPath));
        assertThat(e).isNotNull();
        return e;
    }

    @Test
    void prepare_directory_bindsItBelowPodDirectory() throws Exception {
        Files.createDirectories(fixture.volume.resolve("a/b"));
        Files.writeString(fixture.volume.resolve("a/b/file"), "text");
        Path shown = fixture.prepare("a/b");
        assertThat(shown).isEqualTo(fixture.layout.pod(SubPathFixture.POD).resolve("volume-subpaths/data/web/0"));
        assertThat(Files.readString(shown.resolve("file"))).isEqualTo("text");
        Files.writeString(shown.resolve("file"), "new text");
        assertThat(Files.readString(fixture.volume.resolve("a/b/file"))).isEqualTo("new text");
    }

    @Test
    void prepare_missingDirectory_isCreatedWithModeOfVolumeRoot() throws Exception {
        HostMachine.run("chmod", "3771", fixture.volume.toString());
        Path shown = fixture.prepare("new/inner");
        assertThat(inode(shown)).isEqualTo(inode(fixture.volume.resolve("new/inner")));
        assertThat(HostMachine.permissions(shown)).isEqualTo("3771");
    }

    @Test
    void prepare_specialFile_isBoundWithoutOpening() throws Exception {
        Files.writeString(fixture.volume.resolve("file"), "text");
        HostMachine.run("mkfifo", fixture.volume.resolve("fifo").toString());
        HostMachine.run("mknod", fixture.volume.resolve("zero").toString(), "c", "1", "5");
        for (String each : List.of("file", "fifo", "zero")) {
            assertThat(inode(fixture.prepare(each))).isEqualTo(inode(fixture.volume.resolve(each)));
        }
    }

    @Test
    void prepare_readOnly_mountsReadOnly() throws Exception {
        Files.createDirectory(fixture.volume.resolve("a"));
        Path shown = fixture.subPaths().prepare(SubPathFixture.request(fixture.volume, "a", Access.READ_ONLY));
        assertThatThrownBy(() -> Files.createFile(shown.resolve("x")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");
        fixture.subPaths().prepare(SubPathFixture.request(fixture.volume, "a", Access.READ_ONLY));
        assertThat(fixture.mounter.unmounted).isEmpty();
        fixture.prepare("a");
        Files.createFile(shown.resolve("x"));
        assertThat(fixture.mounts()).hasSize(1);
    }

    @Test
    void prepare_again_keepsMount() throws Exception {
        fixture.prepare("a");
        fixture.prepare("a");
        assertThat(fixture.mounts()).hasSize(1);
        assertThat(fixture.mounter.unmounted).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"a,b", "a,file", "file,a"})
    void prepare_otherSubPathMounted_replacesIt(String first, String second) throws Exception {
        Files.createFile(fixture.volume.resolve("file"));
        fixture.prepare(first);
        assertThat(inode(fixture.prepare(second))).isEqualTo(inode(fixture.volume.resolve(second)));
        assertThat(fixture.mounter.unmounted).containsExactly("0");
        assertThat(fixture.mounts()).hasSize(1);
    }

    @Test
    void prepare_directoryRecreated_replacesMount() throws Exception {
        fixture.prepare("a");
        Files.delete(fixture.volume.resolve("a"));
        Files.createDirectory(fixture.volume.resolve("a"));
        assertThat(inode(fixture.prepare("a"))).isEqualTo(inode(fixture.volume.resolve("a")));
    }

    /** The statx calls are: of the root, of the opened directory, again before the bind, and of the mount. */
    @Test
    void prepare_staleMount_replacesIt() throws Exception {
        fixture.prepare("a");
        SystemCalls stale = FaultySystemCalls.failing("statx", 4, 116);
        fixture.subPaths(stale).prepare(SubPathFixture.request(fixture.volume, "a", Access.READ_WRITE));
        assertThat(fixture.mounter.unmounted).containsExactly("0");
        assertThat(inode(fixture.target())).isEqualTo(inode(fixture.volume.resolve("a")));
        assertThat(fixture.mounts()).hasSize(1);
    }

    @Test
    void prepare_linkInsideVolume_isFollowed() throws Exception {
        Files.createDirectories(fixture.volume.resolve("releases/7"));
        Files.createSymbolicLink(fixture.volume.resolve("current"), Path.of("releases/7"));
        assertThat(inode(fixture.prepare("current"))).isEqualTo(inode(fixture.volume.resolve("releases/7")));
    }

    /** CVE-2017-1002101: a container plants a link and is restarted. */
    @ParameterizedTest
    @CsvSource({"/,sub", "../../../../..,sub", "/,sub/etc", "/etc/passwd,sub", "/proc/self/root,sub/etc"})
    void prepare_linkOutOfVolume_fails(String link, String subPath) throws Exception {
        Files.createSymbolicLink(fixture.volume.resolve("sub"), Path.of(link));
        VolumeException e = failure(subPath);
        assertThat(e.reason()).isEqualTo("OutsideVolume");
        assertThat(e)
                .hasMessageStartingWith(
                        "failed to prepare subPath for volumeMount \"my-data\" of container \"web\": subPath \""
                                + subPath + "\" is outside of the volume");
        assertThat(fixture.mounts()).isEmpty();
    }

    /** CVE-2021-25741: the path is replaced between the check and the mount. */
    @ParameterizedTest
    @CsvSource({"sub", "sub/inner"})
    void prepare_pathReplacedBeforeBind_bindsOpenedDirectory(String subPath) throws Exception {
        Path sub = Files.createDirectories(fixture.volume.resolve("sub/inner")).getParent();
        Files.createDirectory(fixture.outside.resolve("inner"));
        long inode = inode(fixture.volume.resolve(subPath));
        fixture.mounter.beforeBind = () -> {
            assertThat(sub.toFile().renameTo(fixture.volume.resolve("away").toFile()))
                    .isTrue();
            assertThat(catchThrowableOfType(Exception.class, () -> Files.createSymbolicLink(sub, fixture.outside)))
                    .isNull();
        };
        assertThat(inode(fixture.prepare(subPath))).isEqualTo(inode);
        fixture.mounter.beforeBind = () -> {};
        assertThat(failure(subPath).reason()).isEqualTo("OutsideVolume");
    }

    @Test
    void prepare_invalidSubPath_failsWithMessageOfKubelet() throws Exception {
        assertThat(failure("/etc")).hasMessage("error SubPath `/etc` must not be an absolute path");
        assertThat(failure("a/../../b")).hasMessage("unable to provision SubPath `a/../../b`: must not contain '..'");
        Files.createSymbolicLink(fixture.volume.resolve("gone"), Path.of("nowhere"));
        assertThat(failure("gone"))
                .hasMessageStartingWith(
                        "failed to create subPath directory for volumeMount \"my-data\" of container \"web\": ");
        Files.createFile(fixture.volume.resolve("file"));
        assertThat(failure("file/x"))
                .hasMessageStartingWith("failed to prepare subPath for volumeMount \"my-data\" of container \"web\": ")
                .hasMessageContaining("ENOTDIR");
    }

    @Test
    void prepare_crashAtAnySystemCall_recovers() throws Exception {
        for (int calls = 0; ; calls++) {
            try {
                fixture.subPaths(FaultySystemCalls.after(calls))
                        .prepare(SubPathFixture.request(fixture.volume, "a/b", Access.READ_ONLY));
                break;
            } catch (FaultySystemCalls.Crash expected) {
                assertThat(inode(fixture.subPaths()
                                .prepare(SubPathFixture.request(fixture.volume, "a/b", Access.READ_ONLY))))
                        .isEqualTo(inode(fixture.volume.resolve("a/b")));
            }
            assertThat(fixture.mounts()).hasSize(1);
            fixture.subPaths().cleanAll(SubPathFixture.POD);
            HostMachine.run("rm", "-r", fixture.volume.resolve("a").toString());
        }
        assertThat(fixture.mounts()).hasSize(1);
    }

    @Test
    void prepare_remoteVolume_runsInChildProcess() throws Exception {
        fixture.mounter.fakeMounts =
                List.of(new MountTable.Mount("0:40", "/", fixture.volume.toString(), "nfs4", "server:/export"));
        Path shown =
                fixture.subPaths(UNUSED_CALLS).prepare(SubPathFixture.request(fixture.volume, "ü/b", Access.READ_ONLY));
        assertThat(inode(shown)).isEqualTo(inode(fixture.volume.resolve("ü/b")));
        assertThatThrownBy(() -> Files.createFile(shown.resolve("x"))).hasMessageContaining("Read-only");
        fixture.subPaths(UNUSED_CALLS).prepare(SubPathFixture.request(fixture.volume, "c", Access.READ_WRITE));
        assertThat(inode(shown)).isEqualTo(inode(fixture.volume.resolve("c")));
        assertThat(fixture.mounter.unmounted).containsExactly("0");
        Files.createSymbolicLink(fixture.volume.resolve("evil"), fixture.outside);
        VolumeException e = catchThrowableOfType(
                VolumeException.class,
                () -> fixture.subPaths(UNUSED_CALLS)
                        .prepare(SubPathFixture.request(fixture.volume, "evil", Access.READ_WRITE)));
        assertThat(e.reason()).isEqualTo("OutsideVolume");
    }

    @Test
    void prepare_linuxMounter_succeeds() throws Exception {
        Files.createFile(fixture.volume.resolve("file"));
        HostMachine.run("mkfifo", fixture.volume.resolve("fifo").toString());
        Mounter mounter = new LinuxMounter(fixture.layout, SystemCalls.real(), new ChildProcess());
        SubPaths subPaths =
                new SubPaths(fixture.layout, mounter, SystemCalls.real(), new ChildProcess(), SubPathFixture.LONG);
        for (Access access : Access.values()) {
            for (String each : List.of("dir", "file", "dir", "dir", "fifo")) {
                Path shown = subPaths.prepare(SubPathFixture.request(fixture.volume, each, access));
                assertThat(inode(shown)).isEqualTo(inode(fixture.volume.resolve(each)));
                assertThat(fixture.mounts()).hasSize(1);
            }
        }
        subPaths.cleanAll(SubPathFixture.POD);
        assertThat(fixture.mounts()).isEmpty();
        assertThat(fixture.subPathsOfPod()).doesNotExist();
    }

    @Test
    void prepare_childTimesOut_isKilled() {
        // Earlier tests may not have waited for the end of theirs.
        List<ProcessHandle> before = ChildProcesses.running();
        fixture.mounter.fakeMounts =
                List.of(new MountTable.Mount("0:40", "/", fixture.volume.toString(), "nfs4", "server:/export"));
        SubPaths subPaths = new SubPaths(
                fixture.layout,
                fixture.mounter,
                UNUSED_CALLS,
                command -> new ChildProcess().run(Command.of(Duration.ofMillis(200), "sleep", "600")),
                SubPathFixture.LONG);
        VolumeException e = catchThrowableOfType(
                VolumeException.class,
                () -> subPaths.prepare(SubPathFixture.request(fixture.volume, "a", Access.READ_WRITE)));
        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.failureState()).isEqualTo(VolumeException.FailureState.UNCERTAIN);
        assertThat(ChildProcesses.running()).isSubsetOf(before);
    }

    @Test
    @Timeout(180)
    void prepare_nestedMountOrLinkToVolume_runsInChildProcess() throws Exception {
        Path inner = Files.createDirectory(fixture.volume.resolve("inner"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        Path shown = fixture.prepare("inner/x");
        assertThat(inode(shown)).isEqualTo(inode(inner.resolve("x")));
        Path link = Files.createSymbolicLink(fixture.base.resolve("host"), fixture.volume);
        fixture.subPaths().prepare(SubPathFixture.request(link, "y", Access.READ_WRITE));
        assertThat(inode(shown)).isEqualTo(inode(fixture.volume.resolve("y")));
    }
}
