package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.NfsSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NfsWorkerTest {
    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
    }

    private static VolumeWork work(Map<String, String> parameters) {
        return VolumeWorkFixture.provision(NfsSource.PROVISIONER, "team/claim", parameters);
    }

    @Test
    void worker_thisMachineIsServer_usesLocalDirectory() throws Exception {
        VolumeWork work = work(Map.of("mountPermissions", "0770"));
        VolumeWorkResult made = fixture.workers.perform(work);
        Path volume = fixture.root.resolve("export/team/claim");
        assertThat(made.source().orElseThrow())
                .hasToString("{\"nfs\":{\"server\":\"nfs.example\",\"path\":\"" + volume + "\"}}");
        assertThat(HostMachine.permissions(volume)).isEqualTo("770");
        fixture.delete(work, made);
        assertThat(HostMachine.below(fixture.root.resolve("export"))).containsExactly(".mooring");
    }

    /**
     * Fake NFS mounts: the share is a directory that mounting moves to the mount point (a link would not be followed).
     * Unmounting works only with the given option.
     */
    private final class FakeNfsMounts implements CommandRunner, MountTableSupplier {
        private final Path share;
        private final String unmountOption;
        private final List<String> commands = new ArrayList<>();
        private final Set<String> points = new TreeSet<>();

        private FakeNfsMounts(String unmountOption) throws IOException {
            this.share = Files.createDirectory(fixture.root.resolve("share"));
            this.unmountOption = unmountOption;
        }

        @Override
        public CommandResult run(Command command) {
            commands.add(command.toString().replace(fixture.root.toString(), "$root"));
            String point = command.arguments().get(command.arguments().size() - 1);
            try {
                if (command.program().equals("mount")) {
                    Files.delete(Path.of(point));
                    Files.move(share, Path.of(point));
                    points.add(point);
                } else if (command.arguments().get(0).equals(unmountOption) || unmountOption.equals("plain")) {
                    Files.move(Path.of(point), share);
                    Files.createDirectory(Path.of(point));
                    points.remove(point);
                } else {
                    return new CommandResult(32, "", "umount: target is busy");
                }
            } catch (IOException e) {
                return new CommandResult(32, "", e.toString());
            }
            return new CommandResult(0, "", "");
        }

        @Override
        public MountTable read() {
            List<MountTable.Mount> mounts = new ArrayList<>();
            mounts.add(new MountTable.Mount("8:1", "/", "/", "ext4", "/dev/sda1"));
            points.forEach(each -> mounts.add(new MountTable.Mount("0:40", "/", each, "tmpfs", "share")));
            return new MountTable(mounts);
        }

        private VolumeWorkers workers() {
            return new VolumeWorkers(
                    VolumeWorkers.builtIn(fixture.settings, SystemCalls.real(), this, FileSystemSpace::measure, this));
        }
    }

    @Test
    void worker_otherServer_mountsShareTemporarily() throws Exception {
        FakeNfsMounts machine = new FakeNfsMounts("plain");
        VolumeWork work = work(Map.of("server", "fe80::1", "share", "/exports/team"));
        VolumeWorkResult made = machine.workers().perform(work);
        String point = "$root/data/mounts/nfs-" + VolumeWorkFixture.UID;
        assertThat(machine.commands)
                .containsExactly(
                        "mount -t nfs -o soft,timeo=100,retrans=2,nolock,nosuid,nodev,noexec [fe80::1]:/exports/team "
                                + point,
                        "umount " + point);
        assertThat(made.source().orElseThrow())
                .hasToString("{\"nfs\":{\"server\":\"fe80::1\",\"path\":\"/exports/team/team/claim\"}}");
        assertThat(HostMachine.below(machine.share))
                .containsExactly(".mooring", ".mooring/" + VolumeWorkFixture.UID, "team", "team/claim");
        machine.workers().perform(VolumeWorkFixture.then(OperationType.DELETE, work, made.source()));
        assertThat(HostMachine.below(machine.share)).containsExactly(".mooring");
        assertThat(HostMachine.below(fixture.settings.mountDirectory())).isEmpty();
    }

    @Test
    void worker_unmountFails_forcesThenUnmountsLazily() throws Exception {
        FakeNfsMounts machine = new FakeNfsMounts("-l");
        machine.workers().perform(work(Map.of("server", "other")));
        assertThat(machine.commands.stream()
                        .filter(each -> each.startsWith("umount"))
                        .toList())
                .extracting(each -> each.replaceAll(" [$].*", ""))
                .containsExactly("umount", "umount -f", "umount -l");
        assertThat(machine.points).isEmpty();
    }

    @Test
    void worker_mountWithoutEffect_fails() throws Exception {
        List<Command> commands = new ArrayList<>();
        CommandRunner idle = command -> {
            commands.add(command);
            return new CommandResult(0, "", "");
        };
        VolumeWorkers workers = fixture.workers(SystemCalls.real(), FileSystemSpace::measure, idle);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work(Map.of("server", "other"))));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNT_FAILED);
        assertThat(commands).hasSize(1);
        assertThat(HostMachine.below(fixture.settings.mountDirectory())).isEmpty();
    }

    @Test
    void worker_mountFails_reportsCauseOnOneLine() {
        CommandRunner failing =
                command -> new CommandResult(32, "", "mount.nfs: access denied by server\n  see dmesg\n");
        VolumeWorkers workers = fixture.workers(SystemCalls.real(), FileSystemSpace::measure, failing);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work(Map.of("server", "other"))));
        assertThat(e.reason()).isEqualTo("AccessDenied");
        assertThat(e.raw()).isEqualTo("mount.nfs: access denied by server see dmesg");
        assertThat(e)
                .hasMessageStartingWith("server other does not permit this node to mount "
                        + fixture.settings.nfs().exportRoot());
    }

    @Test
    void worker_mountTimesOut_namesServer() {
        CommandRunner slow = command -> {
            throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "killed");
        };
        VolumeWorkers workers = fixture.workers(SystemCalls.real(), FileSystemSpace::measure, slow);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work(Map.of("server", "other"))));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.TOO_SLOW);
        assertThat(e).hasMessageStartingWith("server other accepted connections but did not respond in time");
    }

    @Test
    void worker_invalidServer_fails() {
        for (String server : List.of("-o", "a b", "a;b", "a/b")) {
            VolumeWorkException e = catchThrowableOfType(
                    VolumeWorkException.class, () -> fixture.workers.perform(work(Map.of("server", server))));
            assertThat(e.reason()).as(server).isEqualTo(VolumeWorkException.INVALID);
        }
    }
}
