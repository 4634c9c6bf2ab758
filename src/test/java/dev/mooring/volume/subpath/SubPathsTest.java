package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.testing.LivingChildren;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
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
    private static final SystemCalls UNTOUCHED = CallsWithout.disturbedBy(() -> {
        throw new AssertionError("Expected a child process, but the volume was touched here");
    });

    @TempDir
    Path temp;

    private SubPathBench bench;

    @BeforeEach
    void node() throws Exception {
        bench = new SubPathBench(temp);
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (bench != null) {
            bench.close();
        }
    }

    private static long inode(Path path) throws Exception {
        return (long) Files.getAttribute(path, "unix:ino");
    }

    private VolumeException refusal(String subPath) {
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> bench.set(subPath));
        assertThat(e).isNotNull();
        return e;
    }

    @Test
    void showsADirectoryOfTheVolumeAtAPathOfItsOwn() throws Exception {
        Files.createDirectories(bench.volume.resolve("a/b"));
        Files.writeString(bench.volume.resolve("a/b/file"), "words");
        Path shown = bench.set("a/b");
        assertThat(shown).isEqualTo(bench.layout.pod(SubPathBench.POD).resolve("volume-subpaths/data/web/0"));
        assertThat(Files.readString(shown.resolve("file"))).isEqualTo("words");
        Files.writeString(shown.resolve("file"), "new words");
        assertThat(Files.readString(bench.volume.resolve("a/b/file"))).isEqualTo("new words");
    }

    @Test
    void makesWhatIsMissingLikeTheRootOfTheVolume() throws Exception {
        Machine.run("chmod", "3771", bench.volume.toString());
        Path shown = bench.set("new/inner");
        assertThat(inode(shown)).isEqualTo(inode(bench.volume.resolve("new/inner")));
        assertThat(Machine.permissions(shown)).isEqualTo("3771");
    }

    @Test
    void showsFilesPipesSocketsAndDevicesWithoutOpeningThem() throws Exception {
        Files.writeString(bench.volume.resolve("file"), "words");
        Machine.run("mkfifo", bench.volume.resolve("fifo").toString());
        Machine.run("mknod", bench.volume.resolve("zero").toString(), "c", "1", "5");
        for (String each : List.of("file", "fifo", "zero")) {
            assertThat(inode(bench.set(each))).isEqualTo(inode(bench.volume.resolve(each)));
        }
    }

    @Test
    void showsItReadOnlyIfAsked() throws Exception {
        Files.createDirectory(bench.volume.resolve("a"));
        Path shown = bench.subPaths().set(SubPathBench.request(bench.volume, "a", Access.READ_ONLY));
        assertThatThrownBy(() -> Files.createFile(shown.resolve("x")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");
        bench.subPaths().set(SubPathBench.request(bench.volume, "a", Access.READ_ONLY));
        assertThat(bench.mounter.unmounted).isEmpty();
        bench.set("a");
        Files.createFile(shown.resolve("x"));
        assertThat(bench.mounts()).hasSize(1);
    }

    @Test
    void keepsWhatIsMountedAlreadyIfItIsTheSame() throws Exception {
        bench.set("a");
        bench.set("a");
        assertThat(bench.mounts()).hasSize(1);
        assertThat(bench.mounter.unmounted).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"a,b", "a,file", "file,a"})
    void replacesWhatIsMountedIfItIsAnother(String first, String second) throws Exception {
        Files.createFile(bench.volume.resolve("file"));
        bench.set(first);
        assertThat(inode(bench.set(second))).isEqualTo(inode(bench.volume.resolve(second)));
        assertThat(bench.mounter.unmounted).containsExactly("0");
        assertThat(bench.mounts()).hasSize(1);
    }

    @Test
    void replacesWhatWasRemovedAndMadeAnew() throws Exception {
        bench.set("a");
        Files.delete(bench.volume.resolve("a"));
        Files.createDirectory(bench.volume.resolve("a"));
        assertThat(inode(bench.set("a"))).isEqualTo(inode(bench.volume.resolve("a")));
    }

    /** The calls are: status of the root, of what was opened, once more to bind it, and of what is mounted. */
    @Test
    void replacesAStaleMount() throws Exception {
        bench.set("a");
        SystemCalls stale = CallsWithout.failing("statx", 4, 116);
        bench.subPaths(stale).set(SubPathBench.request(bench.volume, "a", Access.READ_WRITE));
        assertThat(bench.mounter.unmounted).containsExactly("0");
        assertThat(inode(bench.target())).isEqualTo(inode(bench.volume.resolve("a")));
        assertThat(bench.mounts()).hasSize(1);
    }

    @Test
    void followsLinksThatStayInTheVolume() throws Exception {
        Files.createDirectories(bench.volume.resolve("releases/7"));
        Files.createSymbolicLink(bench.volume.resolve("current"), Path.of("releases/7"));
        assertThat(inode(bench.set("current"))).isEqualTo(inode(bench.volume.resolve("releases/7")));
    }

    /** CVE-2017-1002101: a container plants a link and asks to be started again. */
    @ParameterizedTest
    @CsvSource({"/,sub", "../../../../..,sub", "/,sub/etc", "/etc/passwd,sub", "/proc/self/root,sub/etc"})
    void refusesLinksThatLeadOut(String link, String subPath) throws Exception {
        Files.createSymbolicLink(bench.volume.resolve("sub"), Path.of(link));
        VolumeException e = refusal(subPath);
        assertThat(e.reason()).isEqualTo("OutsideVolume");
        assertThat(e)
                .hasMessageStartingWith(
                        "failed to prepare subPath for volumeMount \"my-data\" of container \"web\": subPath \""
                                + subPath + "\" is outside of the volume");
        assertThat(bench.mounts()).isEmpty();
    }

    /** CVE-2021-25741: between the check and the mount the name comes to mean something else. */
    @ParameterizedTest
    @CsvSource({"sub", "sub/inner"})
    void bindsWhatItHasOpenedWhateverTheNameMeansNow(String subPath) throws Exception {
        Path sub = Files.createDirectories(bench.volume.resolve("sub/inner")).getParent();
        Files.createDirectory(bench.outside.resolve("inner"));
        long inode = inode(bench.volume.resolve(subPath));
        bench.mounter.beforeBind = () -> {
            assertThat(sub.toFile().renameTo(bench.volume.resolve("away").toFile()))
                    .isTrue();
            assertThat(catchThrowableOfType(Exception.class, () -> Files.createSymbolicLink(sub, bench.outside)))
                    .isNull();
        };
        assertThat(inode(bench.set(subPath))).isEqualTo(inode);
        bench.mounter.beforeBind = () -> {};
        assertThat(refusal(subPath).reason()).isEqualTo("OutsideVolume");
    }

    @Test
    void refusesWhatTheKubeletRefuses() throws Exception {
        assertThat(refusal("/etc")).hasMessage("error SubPath `/etc` must not be an absolute path");
        assertThat(refusal("a/../../b")).hasMessage("unable to provision SubPath `a/../../b`: must not contain '..'");
        Files.createSymbolicLink(bench.volume.resolve("gone"), Path.of("nowhere"));
        assertThat(refusal("gone"))
                .hasMessageStartingWith(
                        "failed to create subPath directory for volumeMount \"my-data\" of container \"web\": ");
        Files.createFile(bench.volume.resolve("file"));
        assertThat(refusal("file/x"))
                .hasMessageStartingWith("failed to prepare subPath for volumeMount \"my-data\" of container \"web\": ")
                .hasMessageContaining("ENOTDIR");
    }

    @Test
    void canBeCutOffAnywhereAndDoneAgain() throws Exception {
        for (int calls = 0; ; calls++) {
            try {
                bench.subPaths(CallsWithout.after(calls))
                        .set(SubPathBench.request(bench.volume, "a/b", Access.READ_ONLY));
                break;
            } catch (CallsWithout.Crash expected) {
                assertThat(inode(bench.subPaths().set(SubPathBench.request(bench.volume, "a/b", Access.READ_ONLY))))
                        .isEqualTo(inode(bench.volume.resolve("a/b")));
            }
            assertThat(bench.mounts()).hasSize(1);
            bench.subPaths().cleanAll(SubPathBench.POD);
            Machine.run("rm", "-r", bench.volume.resolve("a").toString());
        }
        assertThat(bench.mounts()).hasSize(1);
    }

    @Test
    void worksInAChildProcessWhereTheVolumeMayHang() throws Exception {
        bench.mounter.pretended =
                List.of(new MountTable.Mount("0:40", "/", bench.volume.toString(), "nfs4", "server:/export"));
        Path shown = bench.subPaths(UNTOUCHED).set(SubPathBench.request(bench.volume, "ü/b", Access.READ_ONLY));
        assertThat(inode(shown)).isEqualTo(inode(bench.volume.resolve("ü/b")));
        assertThatThrownBy(() -> Files.createFile(shown.resolve("x"))).hasMessageContaining("Read-only");
        bench.subPaths(UNTOUCHED).set(SubPathBench.request(bench.volume, "c", Access.READ_WRITE));
        assertThat(inode(shown)).isEqualTo(inode(bench.volume.resolve("c")));
        assertThat(bench.mounter.unmounted).containsExactly("0");
        Files.createSymbolicLink(bench.volume.resolve("evil"), bench.outside);
        VolumeException e = catchThrowableOfType(
                VolumeException.class,
                () -> bench.subPaths(UNTOUCHED).set(SubPathBench.request(bench.volume, "evil", Access.READ_WRITE)));
        assertThat(e.reason()).isEqualTo("OutsideVolume");
    }

    @Test
    void worksWithTheMounterOfTheNode() throws Exception {
        Files.createFile(bench.volume.resolve("file"));
        Machine.run("mkfifo", bench.volume.resolve("fifo").toString());
        Mounter mounter = new LinuxMounter(bench.layout, SystemCalls.real(), new ChildProcess());
        SubPaths subPaths =
                new SubPaths(bench.layout, mounter, SystemCalls.real(), new ChildProcess(), SubPathBench.LONG);
        for (Access access : Access.values()) {
            for (String each : List.of("dir", "file", "dir", "dir", "fifo")) {
                Path shown = subPaths.set(SubPathBench.request(bench.volume, each, access));
                assertThat(inode(shown)).isEqualTo(inode(bench.volume.resolve(each)));
                assertThat(bench.mounts()).hasSize(1);
            }
        }
        subPaths.cleanAll(SubPathBench.POD);
        assertThat(bench.mounts()).isEmpty();
        assertThat(bench.subPathsOfPod()).doesNotExist();
    }

    @Test
    void killsTheChildThatHangs() {
        bench.mounter.pretended =
                List.of(new MountTable.Mount("0:40", "/", bench.volume.toString(), "nfs4", "server:/export"));
        SubPaths subPaths = new SubPaths(
                bench.layout,
                bench.mounter,
                UNTOUCHED,
                command -> new ChildProcess().run(Command.of(Duration.ofMillis(200), "sleep", "600")),
                SubPathBench.LONG);
        VolumeException e = catchThrowableOfType(
                VolumeException.class, () -> subPaths.set(SubPathBench.request(bench.volume, "a", Access.READ_WRITE)));
        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.left()).isEqualTo(VolumeException.Left.PERHAPS_SOMETHING);
        assertThat(LivingChildren.now()).isEmpty();
    }

    @Test
    @Timeout(60)
    void goesIntoAnotherMountInTheVolumeAndOverLinksToTheVolumeInAChildProcessOnly() throws Exception {
        Path inner = Files.createDirectory(bench.volume.resolve("inner"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", inner.toString());
        Path shown = bench.set("inner/x");
        assertThat(inode(shown)).isEqualTo(inode(inner.resolve("x")));
        Path link = Files.createSymbolicLink(bench.base.resolve("host"), bench.volume);
        bench.subPaths().set(SubPathBench.request(link, "y", Access.READ_WRITE));
        assertThat(inode(shown)).isEqualTo(inode(bench.volume.resolve("y")));
    }
}
