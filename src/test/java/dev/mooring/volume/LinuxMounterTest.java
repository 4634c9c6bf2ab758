package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of {@link LinuxMounter} on the real kernel. */
class LinuxMounterTest extends MounterFixture {
    @Test
    void bind_directory_showsSameFiles() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(target.resolve("file")).hasContent("data");
        Files.writeString(target.resolve("new"), "written through the mount");
        assertThat(source.resolve("new")).exists();
        assertThat(mounter.isMountPoint(target)).isTrue();
        assertThat(mounter.table().at(target).orElseThrow().isReadOnly()).isFalse();
    }

    @Test
    void bind_mountIsPrivate() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        assertThat(HostMachine.run("findmnt", "-n", "-o", "PROPAGATION", target.toString()))
                .isEqualTo("private");
    }

    @Test
    void bind_readOnly_keepsSourceWritable() throws Exception {
        mounter.bind(source, target, Access.READ_ONLY);
        assertThatThrownBy(() -> Files.writeString(target.resolve("new"), ""))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");
        Files.writeString(source.resolve("new"), "");
        assertThat(mounter.table().at(target).orElseThrow().isReadOnly()).isTrue();
    }

    @Test
    void bind_readOnly_keepsRestrictionsOfSource() throws Exception {
        HostMachine.run("mount", "-t", "tmpfs", "-o", "nosuid,nodev,noexec,noatime", "tmpfs", source.toString());
        mounter.bind(source, target, Access.READ_ONLY);
        assertThat(mounter.table().at(target).orElseThrow().options())
                .contains("ro", "nosuid", "nodev", "noexec", "noatime");
    }

    @Test
    void bind_readOnlyRemountFails_leavesNoMount() throws Exception {
        SystemCalls calls = FailingMountCalls.mount(32 | 4096 | 1, 1);
        LinuxMounter broken = new LinuxMounter(layout, calls, new ChildProcess());
        assertFails(() -> broken.bind(source, target, Access.READ_ONLY), "SystemCallFailed", FailureState.CLEAN);
        assertThat(mountCount()).isZero();
    }

    @Test
    void bind_readOnlyRemountIneffective_fails() throws Exception {
        SystemCalls calls = FailingMountCalls.mount(32 | 4096 | 1, 0);
        LinuxMounter broken = new LinuxMounter(layout, calls, new ChildProcess());
        assertFails(() -> broken.bind(source, target, Access.READ_ONLY), "WrongAccess", FailureState.CLEAN);
        assertThat(mountCount()).isZero();
    }

    @Test
    void bind_mountIneffective_fails() throws Exception {
        LinuxMounter broken = new LinuxMounter(layout, FailingMountCalls.mount(4096, 0), new ChildProcess());
        assertFails(() -> broken.bind(source, target, Access.READ_WRITE), "NotMounted", FailureState.CLEAN);
    }

    @Test
    void bind_sameMountExists_keepsIt() throws Exception {
        mounter.bind(source, target, Access.READ_ONLY);
        mounter.bind(source, target, Access.READ_ONLY);
        assertThat(mountCount()).isEqualTo(1);
    }

    @Test
    void bind_otherSourceOrAccessMounted_replacesIt() throws Exception {
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
    void bind_tmpfsMounted_failsAndKeepsIt() throws Exception {
        mounter.mountTmpfs(target, new TmpfsOptions(1 << 20, 0777));
        Files.writeString(target.resolve("only"), "copy");
        assertFails(() -> mounter.bind(source, target, Access.READ_WRITE), "WrongMount", FailureState.UNCERTAIN);
        assertThat(target.resolve("only")).hasContent("copy");
    }

    @Test
    void bind_file_usesEmptyFileAsMountPointAndRemovesIt() throws Exception {
        mounter.makeDirectory(target);
        mounter.bind(source.resolve("file"), target, Access.READ_WRITE);
        assertThat(target).hasContent("data");
        assertThat(mounter.isMountPoint(target)).isTrue();
        assertFails(() -> mounter.removeDirectory(target), "Mounted", FailureState.UNCERTAIN);
        unmount();
        assertThat(target).isEmptyFile();
        mounter.removeDirectory(target);
        assertThat(layout.pod("uid")).isEmptyDirectory();
        assertThat(source.resolve("file")).hasContent("data");
    }

    @Test
    void bind_device_doesNotOpenIt() throws Exception {
        Path device = layout.device("uid", "kubernetes.io/local-volume", "pv");
        mounter.bind(Path.of("/dev/null"), device, Access.READ_WRITE);
        assertThat(HostMachine.run("stat", "-c", "%F", device.toString())).isEqualTo("character special file");
        mounter.unmount(device, LIMITS, OperationProgress.NO_OP);
        mounter.removeDirectory(device);
        assertThat(device).doesNotExist();
    }

    @Test
    void bind_openedDirectoryReplaced_bindsOpenedOne() throws Exception {
        try (OpenDirectory opened = OpenDirectory.open(SystemCalls.real(), source)) {
            Files.move(source, dir.resolve("moved"));
            Files.createSymbolicLink(source, Path.of("/etc"));
            mounter.bind(opened, target, Access.READ_WRITE);
        }
        assertThat(target.resolve("file")).hasContent("data");
    }

    @Test
    void bind_sourceMissing_fails() {
        assertFails(
                () -> mounter.bind(dir.resolve("nothing"), target, Access.READ_WRITE), "NotFound", FailureState.CLEAN);
    }

    @Test
    void mounter_targetIsLink_fails() throws Exception {
        Path victim = Files.createDirectory(dir.resolve("victim"));
        mounter.makeDirectory(target.getParent());
        Files.createSymbolicLink(target, victim);
        assertFails(() -> mounter.bind(source, target, Access.READ_WRITE), "WrongType", FailureState.CLEAN);
        assertFails(() -> mounter.mountTmpfs(target, new TmpfsOptions(0, 0777)), "WrongType", FailureState.CLEAN);
        assertFails(() -> mounter.makeDirectory(target.resolve("below")), "WrongType", FailureState.CLEAN);
        assertFails(() -> mounter.removeDirectory(target), "NotEmpty", FailureState.UNCERTAIN);
        assertThat(mounter.isMountPoint(target)).isFalse();
        assertThat(mountCount()).isZero();
        assertThat(victim).isEmptyDirectory();
    }

    @Test
    void mounter_pathOutsideRoot_throwsIllegalArgument() {
        assertThatThrownBy(() -> mounter.makeDirectory(dir.resolve("elsewhere")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.removeDirectory(layout.root())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.bind(source, target.resolve("../.."), Access.READ_WRITE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mounter.unmount(source, LIMITS, OperationProgress.NO_OP))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void mountTmpfs_hasRequestedSizeAndMode() throws Exception {
        mounter.mountTmpfs(target, new TmpfsOptions(1 << 20, 01777));
        assertThat(Files.getFileStore(target).getTotalSpace()).isEqualTo(1 << 20);
        assertThat(HostMachine.permissions(target)).isEqualTo("1777");
        assertThatThrownBy(() -> Files.write(target.resolve("big"), new byte[(1 << 20) + 1]))
                .hasMessageContaining("No space left");
        assertThat(mounter.table().at(target).orElseThrow().options()).contains("nosuid", "nodev", "size=1024k");
    }

    @Test
    void mountTmpfs_alreadyMounted_keepsIt() throws Exception {
        mounter.mountTmpfs(target, new TmpfsOptions(1 << 20, 0777));
        Files.writeString(target.resolve("kept"), "x");
        mounter.mountTmpfs(target, new TmpfsOptions(1 << 20, 0777));
        assertThat(target.resolve("kept")).exists();
        assertThat(mountCount()).isEqualTo(1);
    }

    @Test
    void mountTmpfs_kernelWithoutNoswap_succeeds() throws Exception {
        LinuxMounter older = new LinuxMounter(layout, FailingMountCalls.mountWith("noswap", 22), new ChildProcess());
        older.mountTmpfs(target, new TmpfsOptions(0, 0700));
        assertThat(mounter.table().at(target).orElseThrow().options()).doesNotContain("noswap");
        assertThat(HostMachine.permissions(target)).isEqualTo("700");
    }

    @Test
    void unmount_stackedMounts_unmountsAll() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        for (int i = 0; i < 5; i++) {
            HostMachine.run("mount", "-t", "tmpfs", "layer" + i, target.toString());
        }
        assertThat(mounter.table().allAt(target)).hasSize(6);
        assertThat(mounter.table().at(target).orElseThrow().source()).isEqualTo("layer4");
        unmount();
        assertThat(mountCount()).isZero();
        assertThat(source.resolve("file")).exists();
    }

    @Test
    void unmount_notMountedOrMissing_succeeds() throws Exception {
        unmount();
        mounter.makeDirectory(target);
        unmount();
        assertThat(target).exists();
        assertThat(mounter.isMountPoint(layout.volume("gone", "kubernetes.io/nfs", "x")))
                .isFalse();
    }

    @Test
    void unmount_inUse_failsAsBusy() throws Exception {
        mounter.bind(source, target, Access.READ_WRITE);
        try (OpenDirectory user = OpenDirectory.open(SystemCalls.real(), target)) {
            assertFails(this::unmount, "Busy", FailureState.UNCERTAIN);
            assertThat(user.status("file")).isPresent();
        }
        assertThat(mounter.isMountPoint(target)).isTrue();
        unmount();
        assertThat(mounter.isMountPoint(target)).isFalse();
    }

    @Test
    void unmount_targetIsLink_leavesItsTargetMounted() throws Exception {
        Path victim = Files.createDirectory(dir.resolve("victim"));
        HostMachine.run("mount", "-t", "tmpfs", "victim", victim.toString());
        mounter.makeDirectory(target.getParent());
        Files.createSymbolicLink(target, victim);
        unmount();
        assertThat(MountTable.read().isMountPoint(victim)).isTrue();
    }

    @Test
    void mount_program_mountsAndUnmounts() throws Exception {
        mounter.makeDirectory(target);
        mounter.mount(new MountCommand("tmpfs", "some", target, List.of("size=64k", "ro"), Duration.ofSeconds(60)));
        MountTable.Mount mount = mounter.table().at(target).orElseThrow();
        assertThat(mount.source()).isEqualTo("some");
        assertThat(mount.options()).contains("ro", "size=64k");
        unmount();
        assertThat(mountCount()).isZero();
    }

    @Test
    void mount_programFails_reportsItsOutput() throws Exception {
        mounter.makeDirectory(target);
        MountCommand command = new MountCommand("tmpfs", "some", target, List.of("nonsense=1"), Duration.ofSeconds(60));
        assertThatThrownBy(() -> mounter.mount(command)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
            assertThat(e.getMessage()).startsWith("mount failed: exit status 32; Mounting command: mount; ");
            assertThat(e.raw()).contains(target.toString());
        });
    }

    @Test
    void mounter_kernelWithoutOpenat2_succeeds() throws Exception {
        for (int errno : List.of(38, 1)) {
            LinuxMounter older = new LinuxMounter(layout, FaultySystemCalls.openat2(errno), new ChildProcess());
            older.bind(source, target, Access.READ_ONLY);
            assertThat(older.isMountPoint(target)).isTrue();
            assertFails(() -> older.removeDirectory(target), "Mounted", FailureState.UNCERTAIN);
            older.unmount(target, LIMITS, OperationProgress.NO_OP);
            assertThat(older.isMountPoint(target)).isFalse();
            older.removeDirectory(target);
            assertThat(target).doesNotExist();
        }
    }

    @Test
    void bind_crashAtAnySystemCall_recovers() throws Exception {
        boolean crashed = true;
        for (int n = 0; crashed; n++) {
            crashed = false;
            try {
                new LinuxMounter(layout, FaultySystemCalls.after(n), new ChildProcess())
                        .bind(source, target, Access.READ_ONLY);
            } catch (FaultySystemCalls.Crash e) {
                crashed = true;
            }
            mounter.bind(source, target, Access.READ_ONLY);
            assertThat(mounter.table().allAt(target)).hasSize(1).allMatch(MountTable.Mount::isReadOnly);
            unmount();
            mounter.removeDirectory(target);
            assertThat(n).isLessThan(500);
        }
        assertThat(source.resolve("file")).hasContent("data");
        assertThat(mountCount()).isZero();
    }
}
