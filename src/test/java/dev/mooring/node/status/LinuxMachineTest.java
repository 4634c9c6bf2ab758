package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.MountTable;
import dev.mooring.node.status.LinuxMachine.VolumeHost;
import dev.mooring.node.status.MachineFacts.Capabilities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinuxMachineTest {
    private static final String MOUNTS = """
        21 1 8:1 / / rw - ext4 /dev/sda1 rw
        22 21 0:5 / /mnt/nas rw,relatime shared:7 - nfs4 nas:/x rw
        23 22 8:2 / /mnt/nas/local rw - xfs /dev/sdb rw
        24 21 0:6 / /srv/with\\040blank rw - fuse.sshfs host: rw
        25 21 0:7 / /over rw - ext4 /dev/sdc rw
        26 25 0:8 / /over rw - cifs //x/y rw
        """;

    @TempDir
    Path directory;

    @Test
    void read_realMachine_returnsPlausibleFacts() throws IOException {
        MachineFacts facts = new LinuxMachine(
                        directory,
                        Map.of("hostpath", directory.resolve("not/there/yet"), "block", directory),
                        host(directory, true))
                .read();
        Capabilities capabilities = facts.capabilities().orElseThrow();
        assertThat(capabilities.clockPlausible()).isTrue();
        assertThat(capabilities.volumesMountPoint()).startsWith("/");
        assertThat(facts.identity().hostName()).isNotEmpty();
        assertThat(facts.identity().kernelVersion()).matches("\\d+\\.\\d+.*");
        assertThat(facts.identity().architecture()).isIn("amd64", "arm64");
        assertThat(facts.identity().address().orElse("none"))
                .doesNotStartWith("127.")
                .doesNotContain("%");
        assertThat(facts.resources().cpus()).isPositive();
        assertThat(facts.resources().memoryBytes()).isGreaterThan(64L << 20);
        assertThat(facts.resources().memoryAvailableBytes())
                .isPositive()
                .isLessThanOrEqualTo(facts.resources().memoryBytes());
        assertThat(facts.resources().diskBytes())
                .isGreaterThanOrEqualTo(facts.resources().diskAvailableBytes());
        assertThat(facts.resources().maxTasks()).isGreaterThan(facts.resources().tasks());
        assertThat(facts.freeBytes()).containsOnlyKeys("hostpath", "block");
    }

    @Test
    void read_kernelFiles_returnsTheirValues() throws IOException {
        write("proc/self/mountinfo", MOUNTS);
        write("proc/meminfo", "MemTotal:       16323532 kB\nMemFree:  1 kB\nMemAvailable:    1000 kB\nBuffers: 3 kB\n");
        write("proc/sys/kernel/hostname", "host-a\n");
        write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
        write("proc/sys/kernel/pid_max", "4194304\n");
        write("proc/loadavg", "0.20 0.18 0.12 1/803 11206\n");
        write("etc/os-release", "NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
        MachineFacts facts = new LinuxMachine(
                        directory,
                        Path.of("/"),
                        Map.of("nfs", Path.of("/mnt/nas/vols"), "local", Path.of("/")),
                        Optional.empty())
                .read();
        assertThat(facts.capabilities()).isEmpty();
        assertThat(facts.identity().hostName()).isEqualTo("host-a");
        assertThat(facts.identity().kernelVersion()).isEqualTo("6.1.0-18-amd64");
        assertThat(facts.identity().osImage()).isEqualTo("Debian GNU/Linux 12 (bookworm)");
        assertThat(facts.identity().machineId()).isEmpty();
        assertThat(facts.resources().memoryBytes()).isEqualTo(16_323_532L * 1024);
        assertThat(facts.resources().memoryAvailableBytes()).isEqualTo(1000L * 1024);
        assertThat(facts.resources().tasks()).isEqualTo(803);
        assertThat(facts.resources().maxTasks()).isEqualTo(4_194_304);
        assertThat(facts.freeBytes()).containsOnlyKeys("local");
    }

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static VolumeHost host(Path root, boolean isSynchronized) {
        return new VolumeHost(root, Instant.EPOCH, Clock.systemUTC(), () -> isSynchronized);
    }

    /** A machine with everything that volumes need; files below /usr are remote if {@code usr} is an nfs4. */
    private Capabilities capabilities(String usr, Path volumes) throws IOException {
        write("proc/meminfo", "MemTotal: 1 kB\n");
        write("proc/sys/kernel/hostname", "host-a\n");
        write("proc/sys/kernel/osrelease", "6.1.0\n");
        write(
                "proc/self/mountinfo",
                "21 1 8:1 / / rw shared:1 - ext4 /dev/sda rw\n"
                        + "22 21 0:5 / /usr rw - " + usr + " x rw\n"
                        + "23 21 8:2 / /srv/private rw master:3 - ext4 /dev/sdb rw\n"
                        + "24 21 0:9 / /sys/fs/cgroup rw - cgroup2 none rw\n");
        write("dev/loop-control", "");
        for (String program : List.of("mount.nfs", "losetup", "mkfs.ext4", "resize2fs")) {
            write("usr/sbin/" + program, "");
        }
        return new LinuxMachine(directory, directory, Map.of(), Optional.of(host(volumes, false)))
                .read()
                .capabilities()
                .orElseThrow();
    }

    @Test
    void read_programsAndMounts_returnsCapabilities() throws IOException {
        write("proc/filesystems", "nodev\tsysfs\n\text4\n");
        Capabilities found = capabilities("ext4", Path.of("/srv/volumes"));

        assertThat(found.programs()).containsExactlyInAnyOrder("mount.nfs", "losetup", "mkfs.ext4", "resize2fs");
        assertThat(found.nfsInKernel()).isFalse();
        assertThat(found.loopControl()).isTrue();
        assertThat(found.cgroupVersion()).isEqualTo(2);
        assertThat(found.sharedMounts()).isTrue();
        assertThat(found.volumesMountPoint()).isEqualTo("/");
        assertThat(found.clockSynchronized()).isFalse();
    }

    @Test
    void read_privateMountAndNfsModule_areFound() throws IOException {
        write("lib/modules/6.1.0/modules.dep", "kernel/fs/nfs/nfs.ko: kernel/fs/lockd/lockd.ko\n");
        Capabilities found = capabilities("ext4", Path.of("/srv/private/volumes"));

        assertThat(found.sharedMounts()).isFalse();
        assertThat(found.volumesMountPoint()).isEqualTo("/srv/private");
        assertThat(found.nfsInKernel()).isTrue();
    }

    @Test
    void read_remoteProgramDirectory_isNotTouched() throws IOException {
        assertThat(capabilities("nfs4", Path.of("/srv")).programs()).isEmpty();
    }

    @Test
    void read_missingKernelFiles_fails() {
        assertThatThrownBy(() -> new LinuxMachine(directory, directory, Map.of(), Optional.empty()).read())
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/srv/data, true",
        "/mnt/nas, false",
        "/mnt/nas/deep/er, false",
        "/mnt/nas2, true",
        "/mnt/nas/local/x, true",
        "/mnt/nas/local/../x, false",
        "/srv/with blank/x, false",
        "/over, false",
    })
    void isOnThisMachine_remoteFileSystem_isFalse(Path path, boolean local) {
        assertThat(LinuxMachine.isOnThisMachine(MountTable.parse(MOUNTS), path)).isEqualTo(local);
    }
}
