package dev.mooring.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** On the kernel of this machine. */
class LinuxMounterTest extends MountBench {
    @Test
    void bindsADirectorySoThatBothSeeTheSame() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(target.resolve("file")).hasContent("data");
        Files.writeString(target.resolve("new"), "written through the mount");
        assertThat(source.resolve("new")).exists();
        assertThat(mounter.isMountPoint(target)).isTrue();
        assertThat(mounter.table().at(target).orElseThrow().isReadOnly()).isFalse();
    }

    @Test
    void makesWhatItMountsPrivate() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(Machine.run("findmnt", "-n", "-o", "PROPAGATION", target.toString()))
                .isEqualTo("private");
    }

    @Test
    void bindsReadOnlyWithoutMakingTheSourceReadOnly() throws Exception {
        mounter.bind(source, target, Access.READ_ONLY);
        assertThatThrownBy(() -> Files.writeString(target.resolve("new"), ""))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");
        Files.writeString(source.resolve("new"), "");
        assertThat(mounter.table().at(target).orElseThrow().isReadOnly()).isTrue();
    }

    @Test
    void keepsWhatTheSourceForbidsWhenItMakesItReadOnly() throws Exception {
        Machine.run("mount", "-t", "tmpfs", "-o", "nosuid,nodev,noexec,noatime", "tmpfs", source.toString());
        mounter.bind(source, target, Access.READ_ONLY);
        assertThat(mounter.table().at(target).orElseThrow().options())
                .contains("ro", "nosuid", "nodev", "noexec", "noatime");
    }

    @Test
    void leavesNothingWritableIfItCannotBeMadeReadOnly() throws Exception {
        SystemCalls calls = CallsFailing.mount(32 | 4096 | 1, 1);
        LinuxMounter broken = new LinuxMounter(layout, calls, new ChildProcess());
        mustRefuse(() -> broken.bind(source, target, Access.READ_ONLY), "SystemCallFailed", Left.NOTHING);
        assertThat(mountsHere()).isZero();
    }

    @Test
    void noticesAKernelThatSaysReadOnlyAndDoesNotDoIt() throws Exception {
        SystemCalls calls = CallsFailing.mount(32 | 4096 | 1, 0);
        LinuxMounter broken = new LinuxMounter(layout, calls, new ChildProcess());
        mustRefuse(() -> broken.bind(source, target, Access.READ_ONLY), "WrongAccess", Left.NOTHING);
        assertThat(mountsHere()).isZero();
    }

    @Test
    void noticesThatNothingWasMounted() throws Exception {
        LinuxMounter broken = new LinuxMounter(layout, CallsFailing.mount(4096, 0), new ChildProcess());
        mustRefuse(() -> broken.bind(source, target, Access.READ_WRITE), "NotMounted", Left.NOTHING);
    }

    @Test
    void isContentWithTheRightMountThatIsThereAlready() throws Exception {
        mounter.bind(source, target, Access.READ_ONLY);
        mounter.bind(source, target, Access.READ_ONLY);
        assertThat(mountsHere()).isEqualTo(1);
    }

    @Test
    void replacesABindOfSomethingElseAndOneWithOtherAccess() throws Exception {
        Path other = Files.createDirectory(dir.resolve("other"));
        mounter.bind(other, target, Access.READ_WRITE);
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(target.resolve("file")).exists();
        mounter.bind(source, target, Access.READ_ONLY);
        assertThat(mounter.table().allAt(target)).hasSize(1).allMatch(MountTable.Mount::isReadOnly);
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(mounter.table().allAt(target)).hasSize(1).noneMatch(MountTable.Mount::isReadOnly);
    }

    @Test
    void doesNotReplaceAFileSystemInMemoryWhichMayHoldTheOnlyCopy() throws Exception {
        mounter.memory(target, new MemorySize(1 << 20, 0777));
        Files.writeString(target.resolve("only"), "copy");
        mustRefuse(() -> mounter.bind(source, target, Access.READ_WRITE), "WrongMount", Left.PERHAPS_SOMETHING);
        assertThat(target.resolve("only")).hasContent("copy");
    }

    @Test
    void bindsAFileOntoAnEmptyFileAndRemovesThatAfterwards() throws Exception {
        mounter.makeDirectory(target);
        mounter.bind(source.resolve("file"), target, Access.READ_WRITE);
        assertThat(target).hasContent("data");
        assertThat(mounter.isMountPoint(target)).isTrue();
        mustRefuse(() -> mounter.removeDirectory(target), "Mounted", Left.PERHAPS_SOMETHING);
        unmount();
        assertThat(target).isEmptyFile();
        mounter.removeDirectory(target);
        assertThat(layout.pod("uid")).isEmptyDirectory();
        assertThat(source.resolve("file")).hasContent("data");
    }

    @Test
    void bindsADeviceWithoutOpeningIt() throws Exception {
        Path device = layout.device("uid", "kubernetes.io/local-volume", "pv");
        mounter.bind(Path.of("/dev/null"), device, Access.READ_WRITE);
        assertThat(Machine.run("stat", "-c", "%F", device.toString())).isEqualTo("character special file");
        mounter.unmount(device, LIMITS, Progress.IGNORED);
        mounter.removeDirectory(device);
        assertThat(device).doesNotExist();
    }

    @Test
    void bindsWhatWasOpenedWhateverHasTakenItsNameSince() throws Exception {
        try (Directory opened = Directory.open(SystemCalls.real(), source)) {
            Files.move(source, dir.resolve("moved"));
            Files.createSymbolicLink(source, Path.of("/etc"));
            mounter.bind(opened, target, Access.READ_WRITE);
        }
        assertThat(target.resolve("file")).hasContent("data");
    }

    @Test
    void saysThatTheSourceIsNotThere() {
        mustRefuse(() -> mounter.bind(dir.resolve("nothing"), target, Access.READ_WRITE), "NotFound", Left.NOTHING);
    }

    @Test
    void mountsOntoNothingBehindALink() throws Exception {
        Path victim = Files.createDirectory(dir.resolve("victim"));
        mounter.makeDirectory(target.getParent());
        Files.createSymbolicLink(target, victim);
        mustRefuse(() -> mounter.bind(source, target, Access.READ_WRITE), "WrongType", Left.NOTHING);
        mustRefuse(() -> mounter.memory(target, new MemorySize(0, 0777)), "WrongType", Left.NOTHING);
        mustRefuse(() -> mounter.makeDirectory(target.resolve("below")), "WrongType", Left.NOTHING);
        mustRefuse(() -> mounter.removeDirectory(target), "NotEmpty", Left.PERHAPS_SOMETHING);
        assertThat(mounter.isMountPoint(target)).isFalse();
        assertThat(mountsHere()).isZero();
        assertThat(victim).isEmptyDirectory();
    }

    @Test
    void refusesPathsThatAreNotItsOwn() {
        assertThatThrownBy(() -> mounter.makeDirectory(dir.resolve("elsewhere")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.removeDirectory(layout.root())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.bind(source, target.resolve("../.."), Access.READ_WRITE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.unmount(source, LIMITS, Progress.IGNORED))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void mountsMemoryOfTheSizeAndPermissionsAskedFor() throws Exception {
        mounter.memory(target, new MemorySize(1 << 20, 01777));
        assertThat(Files.getFileStore(target).getTotalSpace()).isEqualTo(1 << 20);
        assertThat(Machine.permissions(target)).isEqualTo("1777");
        assertThatThrownBy(() -> Files.write(target.resolve("big"), new byte[(1 << 20) + 1]))
                .hasMessageContaining("No space left");
        assertThat(mounter.table().at(target).orElseThrow().options()).contains("nosuid", "nodev", "size=1024k");
    }

    @Test
    void leavesMemoryThatIsThereAlready() throws Exception {
        mounter.memory(target, new MemorySize(1 << 20, 0777));
        Files.writeString(target.resolve("kept"), "x");
        mounter.memory(target, new MemorySize(1 << 20, 0777));
        assertThat(target.resolve("kept")).exists();
        assertThat(mountsHere()).isEqualTo(1);
    }

    @Test
    void mountsMemoryOnAKernelThatCannotKeepItFromSwap() throws Exception {
        LinuxMounter older = new LinuxMounter(layout, CallsFailing.mountWith("noswap", 22), new ChildProcess());
        older.memory(target, new MemorySize(0, 0700));
        assertThat(mounter.table().at(target).orElseThrow().options()).doesNotContain("noswap");
        assertThat(Machine.permissions(target)).isEqualTo("700");
    }

    @Test
    void unmountsAWholeStack() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        for (int i = 0; i < 5; i++) {
            Machine.run("mount", "-t", "tmpfs", "layer" + i, target.toString());
        }
        assertThat(mounter.table().allAt(target)).hasSize(6);
        assertThat(mounter.table().at(target).orElseThrow().source()).isEqualTo("layer4");
        unmount();
        assertThat(mountsHere()).isZero();
        assertThat(source.resolve("file")).exists();
    }

    @Test
    void unmountingWhatIsNotMountedOrNotThereIsDone() throws Exception {
        unmount();
        mounter.makeDirectory(target);
        unmount();
        assertThat(target).exists();
        assertThat(mounter.isMountPoint(layout.volume("gone", "kubernetes.io/nfs", "x")))
                .isFalse();
    }

    @Test
    void saysThatAMountIsInUseAndLeavesIt() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        try (Directory user = Directory.open(SystemCalls.real(), target)) {
            mustRefuse(this::unmount, "Busy", Left.PERHAPS_SOMETHING);
            assertThat(user.status("file")).isPresent();
        }
        assertThat(mounter.isMountPoint(target)).isTrue();
        unmount();
        assertThat(mounter.isMountPoint(target)).isFalse();
    }

    @Test
    void unmountsTheMountAndNotWhatALinkInItsPlaceLeadsTo() throws Exception {
        Path victim = Files.createDirectory(dir.resolve("victim"));
        Machine.run("mount", "-t", "tmpfs", "victim", victim.toString());
        mounter.makeDirectory(target.getParent());
        Files.createSymbolicLink(target, victim);
        unmount();
        assertThat(MountTable.read().isMountPoint(victim)).isTrue();
    }

    @Test
    void mountsAndUnmountsByTheProgram() throws Exception {
        mounter.makeDirectory(target);
        mounter.mount(new MountCommand("tmpfs", "some", target, List.of("size=64k", "ro"), Duration.ofSeconds(20)));
        MountTable.Mount mount = mounter.table().at(target).orElseThrow();
        assertThat(mount.source()).isEqualTo("some");
        assertThat(mount.options()).contains("ro", "size=64k");
        unmount();
        assertThat(mountsHere()).isZero();
    }

    @Test
    void tellsWhatTheProgramSaidWhenItFailed() throws Exception {
        mounter.makeDirectory(target);
        MountCommand command = new MountCommand("tmpfs", "some", target, List.of("nonsense=1"), Duration.ofSeconds(20));
        assertThatThrownBy(() -> mounter.mount(command)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.left()).isEqualTo(Left.NOTHING);
            assertThat(e.getMessage()).startsWith("mount failed: exit status 32\nMounting command: mount\n");
            assertThat(e.raw()).contains(target.toString());
        });
    }

    @Test
    void worksOnAKernelWithoutTheNewerCalls() throws Exception {
        for (int errno : List.of(38, 1)) {
            LinuxMounter older = new LinuxMounter(layout, CallsWithout.openat2(errno), new ChildProcess());
            older.bind(source, target, Access.READ_ONLY);
            assertThat(older.isMountPoint(target)).isTrue();
            mustRefuse(() -> older.removeDirectory(target), "Mounted", Left.PERHAPS_SOMETHING);
            older.unmount(target, LIMITS, Progress.IGNORED);
            assertThat(older.isMountPoint(target)).isFalse();
            older.removeDirectory(target);
            assertThat(target).doesNotExist();
        }
    }

    @Test
    void endsRightAfterDyingBeforeAnyCall() throws Exception {
        boolean died = true;
        for (int n = 0; died; n++) {
            died = false;
            try {
                new LinuxMounter(layout, CallsWithout.after(n), new ChildProcess())
                        .bind(source, target, Access.READ_ONLY);
            } catch (CallsWithout.Crash e) {
                died = true;
            }
            mounter.bind(source, target, Access.READ_ONLY);
            assertThat(mounter.table().allAt(target)).hasSize(1).allMatch(MountTable.Mount::isReadOnly);
            unmount();
            mounter.removeDirectory(target);
            assertThat(n).isLessThan(500);
        }
        assertThat(source.resolve("file")).hasContent("data");
        assertThat(mountsHere()).isZero();
    }
}
