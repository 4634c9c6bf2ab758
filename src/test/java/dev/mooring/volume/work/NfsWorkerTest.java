package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
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

    private Bench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
    }

    private static VolumeWork work(Map<String, String> parameters) {
        return Bench.provision(StorageNames.NFS_PROVISIONER, "team/claim", parameters);
    }

    @Test
    void worksInItsOwnFileSystemWhereThisMachineIsTheServer() throws Exception {
        VolumeWork work = work(Map.of("mountPermissions", "0770"));
        WorkDone made = bench.workers.perform(work);
        Path volume = bench.root.resolve("export/team/claim");
        assertThat(made.source().orElseThrow())
                .hasToString("{\"nfs\":{\"server\":\"nfs.example\",\"path\":\"" + volume + "\"}}");
        assertThat(Machine.permissions(volume)).isEqualTo("770");
        bench.delete(work, made);
        assertThat(Machine.below(bench.root.resolve("export"))).containsExactly(".mooring");
    }

    /**
     * A machine on which a share is a directory that mounting moves to its mount point. (A link would do, but no link is followed.)
     * Unmounting works only in the given way.
     */
    private final class FakeMachine implements CommandRunner, Mounts {
        private final Path share;
        private final String wayToUnmount;
        private final List<String> commands = new ArrayList<>();
        private final Set<String> points = new TreeSet<>();

        private FakeMachine(String wayToUnmount) throws IOException {
            this.share = Files.createDirectory(bench.root.resolve("share"));
            this.wayToUnmount = wayToUnmount;
        }

        @Override
        public CommandResult run(Command command) {
            commands.add(command.toString().replace(bench.root.toString(), "$root"));
            String point = command.arguments().get(command.arguments().size() - 1);
            try {
                if (command.program().equals("mount")) {
                    Files.delete(Path.of(point));
                    Files.move(share, Path.of(point));
                    points.add(point);
                } else if (command.arguments().get(0).equals(wayToUnmount) || wayToUnmount.equals("plain")) {
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
                    VolumeWorkers.builtIn(bench.settings, SystemCalls.real(), this, FileSystemSpace::measure, this));
        }
    }

    @Test
    void mountsTheShareForAMomentElsewhere() throws Exception {
        FakeMachine machine = new FakeMachine("plain");
        VolumeWork work = work(Map.of("server", "fe80::1", "share", "/exports/team"));
        WorkDone made = machine.workers().perform(work);
        String point = "$root/data/mounts/nfs-" + Bench.UID;
        assertThat(machine.commands)
                .containsExactly(
                        "mount -t nfs -o soft,timeo=100,retrans=2,nolock,nosuid,nodev,noexec [fe80::1]:/exports/team "
                                + point,
                        "umount " + point);
        assertThat(made.source().orElseThrow())
                .hasToString("{\"nfs\":{\"server\":\"fe80::1\",\"path\":\"/exports/team/team/claim\"}}");
        assertThat(Machine.below(machine.share))
                .containsExactly(".mooring", ".mooring/" + Bench.UID, "team", "team/claim");
        machine.workers().perform(Bench.then(Work.DELETE, work, made.source()));
        assertThat(Machine.below(machine.share)).containsExactly(".mooring");
        assertThat(Machine.below(bench.settings.mountDirectory())).isEmpty();
    }

    @Test
    void unmountsByForceAndThenLazilyWhatDoesNotGoOtherwise() throws Exception {
        FakeMachine machine = new FakeMachine("-l");
        machine.workers().perform(work(Map.of("server", "other")));
        assertThat(machine.commands.stream()
                        .filter(each -> each.startsWith("umount"))
                        .toList())
                .extracting(each -> each.replaceAll(" [$].*", ""))
                .containsExactly("umount", "umount -f", "umount -l");
        assertThat(machine.points).isEmpty();
    }

    @Test
    void doesNothingInTheBareDirectoryWhenTheMountIsNotThere() throws Exception {
        List<Command> commands = new ArrayList<>();
        CommandRunner idle = command -> {
            commands.add(command);
            return new CommandResult(0, "", "");
        };
        VolumeWorkers workers = bench.workers(SystemCalls.real(), FileSystemSpace::measure, idle);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work(Map.of("server", "other"))));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNT_FAILED);
        assertThat(commands).hasSize(1);
        assertThat(Machine.below(bench.settings.mountDirectory())).isEmpty();
    }

    @Test
    void tellsWhatMountSaidWhenItFails() {
        CommandRunner failing = command -> new CommandResult(32, "", "mount.nfs: access denied by server\n");
        VolumeWorkers workers = bench.workers(SystemCalls.real(), FileSystemSpace::measure, failing);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work(Map.of("server", "other"))));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.MOUNT_FAILED);
        assertThat(e.raw()).isEqualTo("mount.nfs: access denied by server");
        assertThat(e).hasMessageContaining("ended with 32").hasMessageContaining("nfs-common");
    }

    @Test
    void refusesAServerThatCouldBeAnOption() {
        for (String server : List.of("-o", "a b", "a;b", "a/b")) {
            VolumeWorkException e = catchThrowableOfType(
                    VolumeWorkException.class, () -> bench.workers.perform(work(Map.of("server", server))));
            assertThat(e.reason()).as(server).isEqualTo(VolumeWorkException.INVALID);
        }
    }
}
