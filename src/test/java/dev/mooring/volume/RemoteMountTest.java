package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandException.CommandFailureKind;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the commands run for remote mounts and of the handling of their results, with fake programs. */
class RemoteMountTest {
    private static final NodeLayout LAYOUT = new NodeLayout(Path.of("/own"));
    private static final Path TARGET = LAYOUT.volume("uid", "kubernetes.io/nfs", "pv");
    private static final UnmountTimeouts LIMITS =
            new UnmountTimeouts(Duration.ofSeconds(21), Duration.ofSeconds(11), Duration.ofSeconds(12));

    /** Fake programs whose results are set by command line; others succeed. */
    private static final class FakePrograms implements CommandRunner, MountTableReader {
        private final List<String> lines = new ArrayList<>();
        private final List<String> steps = new ArrayList<>();
        private final List<MountTable.Mount> mounts = new ArrayList<>();
        private final Map<String, CommandResult> failures = new HashMap<>();
        private final Map<String, CommandFailureKind> startFailures = new HashMap<>();
        private final LinuxMounter mounter = new LinuxMounter(LAYOUT, SystemCalls.real(), this, this);
        private boolean mountsAlthoughItFails;
        private boolean ineffective;

        private FakePrograms mounted(String type) {
            mounts.add(new MountTable.Mount(
                    40 + mounts.size(), 1, "0:40", "/", TARGET.toString(), List.of("rw"), type, "nas:/x"));
            return this;
        }

        private FakePrograms fails(String line, int exit, String output) {
            failures.put(line, new CommandResult(exit, "", output));
            return this;
        }

        private FakePrograms failsToRun(String line, CommandFailureKind kind) {
            startFailures.put(line, kind);
            return this;
        }

        @Override
        public MountTable read() {
            return new MountTable(mounts);
        }

        @Override
        public CommandResult run(Command command) throws CommandException {
            String line = command.toString().replace(TARGET.toString(), "TARGET");
            lines.add(line + " (" + command.deadline().toSeconds() + " s)");
            String commandLine = line.replace(" -- TARGET", "");
            if (startFailures.containsKey(commandLine)) {
                throw new CommandException(startFailures.get(commandLine), commandLine + " failed");
            }
            CommandResult end = failures.getOrDefault(commandLine, new CommandResult(0, "", ""));
            boolean works = (end.succeeded() && !ineffective) || mountsAlthoughItFails;
            if (command.program().equals("mount") && works) {
                mounted("nfs4");
            } else if (command.program().equals("umount") && end.succeeded() && !ineffective) {
                mounts.remove(mounts.size() - 1);
            }
            return end;
        }

        private void unmount() throws VolumeException, InterruptedException {
            mounter.unmount(TARGET, LIMITS, (reason, message) -> steps.add(reason));
        }

        private void mount(String type, String... options) throws VolumeException, InterruptedException {
            mounter.mount(new MountCommand(type, "nas:/x", TARGET, List.of(options), Duration.ofSeconds(33)));
        }

        private VolumeException mountFailure(String type) {
            return failure(() -> mount(type));
        }

        private VolumeException unmountFailure() {
            return failure(this::unmount);
        }

        private static VolumeException failure(MounterFixture.ThrowingCall call) {
            List<VolumeException> caught = new ArrayList<>();
            assertThatThrownBy(call::run).isInstanceOfSatisfying(VolumeException.class, caught::add);
            return caught.get(0);
        }
    }

    private static final String PLAIN = "umount -c -- TARGET (21 s)";
    private static final String PROBE = "stat -f -- TARGET (11 s)";
    private static final String FORCED = "umount -c -i -f -- TARGET (11 s)";
    private static final String LAZY = "umount -c -i -l -- TARGET (12 s)";

    @Test
    void unmount_remote_runsPlainUmount() throws Exception {
        FakePrograms programs = new FakePrograms().mounted("nfs4");
        programs.unmount();
        assertThat(programs.lines).containsExactly(PLAIN);
        assertThat(programs.steps).isEmpty();
    }

    @Test
    void unmount_notMounted_runsNothing() throws Exception {
        FakePrograms programs = new FakePrograms();
        programs.unmount();
        assertThat(programs.lines).isEmpty();
    }

    @Test
    void unmount_timeout_forces() throws Exception {
        FakePrograms programs = new FakePrograms().mounted("nfs").failsToRun("umount -c", CommandFailureKind.TIMED_OUT);
        programs.unmount();
        assertThat(programs.lines).containsExactly(PLAIN, FORCED);
        assertThat(programs.steps).containsExactly("UnmountForced");
    }

    @Test
    void unmount_forceFails_unmountsLazily() throws Exception {
        FakePrograms programs = new FakePrograms()
                .mounted("nfs4")
                .failsToRun("umount -c", CommandFailureKind.TIMED_OUT)
                .fails("umount -c -i -f", 32, "umount: target is busy.");
        programs.unmount();
        assertThat(programs.lines).containsExactly(PLAIN, FORCED, LAZY);
        assertThat(programs.steps).containsExactly("UnmountForced", "UnmountLazy");
        assertThat(programs.mounts).isEmpty();
    }

    @Test
    void unmount_fileSystemMountedElsewhere_doesNotForce() throws Exception {
        FakePrograms programs = new FakePrograms();
        programs.mounts.add(new MountTable.Mount("0:40", "/", "/own/pods/another", "nfs4", "nas:/x"));
        programs.mounted("nfs4").failsToRun("umount -c", CommandFailureKind.TIMED_OUT);
        programs.unmount();
        assertThat(programs.lines).containsExactly(PLAIN, LAZY);
        assertThat(programs.steps).containsExactly("UnmountLazy");
        assertThat(programs.mounts).hasSize(1);
    }

    @Test
    void unmount_busyAndServerResponds_failsAsBusy() {
        FakePrograms programs = new FakePrograms().mounted("nfs4").fails("umount -c", 32, "umount: target is busy.");
        VolumeException failure = programs.unmountFailure();
        assertThat(failure.reason()).isEqualTo("Busy");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(failure.raw()).isEqualTo("umount: target is busy.");
        assertThat(programs.lines).containsExactly(PLAIN, PROBE);
    }

    @Test
    void unmount_busyAndServerDeadOrHandleStale_forces() throws Exception {
        FakePrograms dead = new FakePrograms()
                .mounted("nfs4")
                .fails("umount -c", 32, "umount: target is busy.")
                .failsToRun("stat -f", CommandFailureKind.TIMED_OUT);
        dead.unmount();
        assertThat(dead.lines).containsExactly(PLAIN, PROBE, FORCED);
        FakePrograms stale = new FakePrograms()
                .mounted("nfs4")
                .fails("umount -c", 32, "umount: target is busy.")
                .fails("stat -f", 1, "Stale file handle")
                .fails("umount -c -i -f", 32, "umount: target is busy.");
        stale.unmount();
        assertThat(stale.lines).containsExactly(PLAIN, PROBE, FORCED, LAZY);
    }

    @Test
    void unmount_successWithoutEffect_failsAsStillMounted() {
        FakePrograms programs = new FakePrograms().mounted("nfs4").fails("stat -f", 1, "Input/output error");
        programs.ineffective = true;
        VolumeException failure = programs.unmountFailure();
        assertThat(failure.reason()).isEqualTo("StillMounted");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(programs.lines).containsExactly(PLAIN, PROBE, FORCED, LAZY);
    }

    @Test
    void unmount_localFileSystemTimesOut_doesNotForce() {
        FakePrograms programs =
                new FakePrograms().mounted("iso9660").failsToRun("umount -c", CommandFailureKind.TIMED_OUT);
        assertThat(programs.unmountFailure().reason()).isEqualTo("Busy");
        assertThat(programs.lines).containsExactly(PLAIN);
        assertThat(programs.steps).isEmpty();
    }

    @Test
    void unmount_stackedMounts_unmountsAll() throws Exception {
        FakePrograms programs =
                new FakePrograms().mounted("nfs4").mounted("nfs4").mounted("cifs");
        programs.unmount();
        assertThat(programs.lines).containsExactly(PLAIN, PLAIN, PLAIN);
    }

    @Test
    void mounter_programMissing_fails() {
        FakePrograms programs = new FakePrograms()
                .mounted("nfs4")
                .failsToRun("umount -c", CommandFailureKind.MISSING)
                .failsToRun("mount -c -t nfs4 -- nas:/x TARGET", CommandFailureKind.MISSING);
        assertThat(programs.unmountFailure().reason()).isEqualTo("ProgramMissing");
        assertThat(programs.mountFailure("nfs4").reason()).isEqualTo("ProgramMissing");
    }

    @Test
    void mount_runsProgramWithoutCanonicalizing() throws Exception {
        FakePrograms programs = new FakePrograms();
        programs.mount("nfs", "vers=4.2", "ro");
        assertThat(programs.lines).containsExactly("mount -c -t nfs -o vers=4.2,ro -- nas:/x TARGET (33 s)");
    }

    @Test
    void mount_timeout_failsAsUncertain() {
        FakePrograms programs =
                new FakePrograms().failsToRun("mount -c -t nfs4 -- nas:/x TARGET", CommandFailureKind.TIMED_OUT);
        VolumeException failure = programs.mountFailure("nfs4");
        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        nfs4 | mount: /t: unknown filesystem type 'nfs4'. | ProgramMissing | mount.nfs is missing: apt-get install nfs-common
        nfs  | mount: /t: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program. | ProgramMissing | mount.nfs is missing: apt-get install nfs-common
        cifs | mount: /t: unknown filesystem type 'cifs'. | ProgramMissing | mount.cifs is missing: apt-get install cifs-utils
        nfs4 | mount.nfs4: No such device | MountFailed | mount failed: exit status 32
        ext4 | mount: /t: unknown filesystem type 'ext4'. | MountFailed | mount failed: exit status 32
        """)
    void mount_fails_distinguishesMissingHelper(String type, String output, String reason, String message) {
        FakePrograms programs = new FakePrograms().fails("mount -c -t " + type + " -- nas:/x TARGET", 32, output);
        VolumeException failure = programs.mountFailure(type);
        assertThat(failure.reason()).isEqualTo(reason);
        assertThat(failure.getMessage()).startsWith(message);
        assertThat(failure.raw()).isEqualTo(output);
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
    }

    @Test
    void mount_fails_messageHasWordingOfKubelet() {
        FakePrograms programs =
                new FakePrograms().fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: access denied");
        assertThat(programs.mountFailure("nfs4"))
                .hasMessage("mount failed: exit status 32; Mounting command: mount; Mounting arguments: -c -t nfs4 --"
                        + " nas:/x /own/pods/uid/volumes/kubernetes.io~nfs/pv; Output: mount.nfs4: access denied");
    }

    @Test
    void mount_failsAfterMounting_unmounts() {
        FakePrograms programs = new FakePrograms()
                .fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: rpc.statd is not running");
        programs.mountsAlthoughItFails = true;
        assertThat(programs.mountFailure("nfs4").failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(programs.mounts).isEmpty();
        assertThat(programs.lines).contains(PLAIN);
    }

    @Test
    void mount_cleanUpFails_failsAsUncertain() {
        FakePrograms programs = new FakePrograms()
                .fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: odd")
                .fails("umount -c", 32, "umount: target is busy.");
        programs.mountsAlthoughItFails = true;
        VolumeException failure = programs.mountFailure("nfs4");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(failure.raw()).isEqualTo("mount.nfs4: odd");
    }

    @Test
    void mount_successWithoutEffect_failsAsNotMounted() {
        FakePrograms programs = new FakePrograms();
        programs.ineffective = true;
        VolumeException failure = programs.mountFailure("nfs4");
        assertThat(failure.reason()).isEqualTo("NotMounted");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
    }
}
