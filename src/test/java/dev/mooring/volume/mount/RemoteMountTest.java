package dev.mooring.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandException.Kind;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is asked of mount(8) and umount(8), and what is made of their answers. Nothing here is real. */
class RemoteMountTest {
    private static final NodeLayout LAYOUT = new NodeLayout(Path.of("/own"));
    private static final Path TARGET = LAYOUT.volume("uid", "kubernetes.io/nfs", "pv");
    private static final UnmountLimits LIMITS =
            new UnmountLimits(Duration.ofSeconds(21), Duration.ofSeconds(11), Duration.ofSeconds(12));

    /** Programs whose ends are told beforehand by the first words of the line; others end well. */
    private static final class Play implements CommandRunner, Tables {
        private final List<String> lines = new ArrayList<>();
        private final List<String> steps = new ArrayList<>();
        private final List<MountTable.Mount> mounts = new ArrayList<>();
        private final Map<String, CommandResult> failures = new HashMap<>();
        private final Map<String, Kind> breakdowns = new HashMap<>();
        private final LinuxMounter mounter = new LinuxMounter(LAYOUT, SystemCalls.real(), this, this);
        private boolean mountsAlthoughItFails;
        private boolean lies;

        private Play mounted(String type) {
            mounts.add(new MountTable.Mount(
                    40 + mounts.size(), 1, "0:40", "/", TARGET.toString(), List.of("rw"), type, "nas:/x"));
            return this;
        }

        private Play fails(String line, int exit, String words) {
            failures.put(line, new CommandResult(exit, "", words));
            return this;
        }

        private Play breaks(String line, Kind kind) {
            breakdowns.put(line, kind);
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
            String way = line.replace(" -- TARGET", "");
            if (breakdowns.containsKey(way)) {
                throw new CommandException(breakdowns.get(way), way + " broke down");
            }
            CommandResult end = failures.getOrDefault(way, new CommandResult(0, "", ""));
            boolean works = (end.succeeded() && !lies) || mountsAlthoughItFails;
            if (command.program().equals("mount") && works) {
                mounted("nfs4");
            } else if (command.program().equals("umount") && end.succeeded() && !lies) {
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

        private static VolumeException failure(MountBench.ThrowingCall call) {
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
    void unmountsPlainlyWhatComesFromAServer() throws Exception {
        Play play = new Play().mounted("nfs4");
        play.unmount();
        assertThat(play.lines).containsExactly(PLAIN);
        assertThat(play.steps).isEmpty();
    }

    @Test
    void runsNothingIfNothingIsMounted() throws Exception {
        Play play = new Play();
        play.unmount();
        assertThat(play.lines).isEmpty();
    }

    @Test
    void usesForceIfItHangs() throws Exception {
        Play play = new Play().mounted("nfs").breaks("umount -c", Kind.TOO_SLOW);
        play.unmount();
        assertThat(play.lines).containsExactly(PLAIN, FORCED);
        assertThat(play.steps).containsExactly("UnmountForced");
    }

    @Test
    void letsGoLazilyIfForceDoesNotHelp() throws Exception {
        Play play = new Play()
                .mounted("nfs4")
                .breaks("umount -c", Kind.TOO_SLOW)
                .fails("umount -c -i -f", 32, "umount: target is busy.");
        play.unmount();
        assertThat(play.lines).containsExactly(PLAIN, FORCED, LAZY);
        assertThat(play.steps).containsExactly("UnmountForced", "UnmountLazy");
        assertThat(play.mounts).isEmpty();
    }

    @Test
    void usesNoForceAgainstWhatOthersWaitFor() throws Exception {
        Play play = new Play();
        play.mounts.add(new MountTable.Mount("0:40", "/", "/own/pods/another", "nfs4", "nas:/x"));
        play.mounted("nfs4").breaks("umount -c", Kind.TOO_SLOW);
        play.unmount();
        assertThat(play.lines).containsExactly(PLAIN, LAZY);
        assertThat(play.steps).containsExactly("UnmountLazy");
        assertThat(play.mounts).hasSize(1);
    }

    @Test
    void leavesWhatIsInUseIfTheServerAnswers() {
        Play play = new Play().mounted("nfs4").fails("umount -c", 32, "umount: target is busy.");
        VolumeException failure = play.unmountFailure();
        assertThat(failure.reason()).isEqualTo("Busy");
        assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(failure.raw()).isEqualTo("umount: target is busy.");
        assertThat(play.lines).containsExactly(PLAIN, PROBE);
    }

    @Test
    void doesNotLeaveWhatIsInUseIfTheServerIsDeadOrTheHandleStale() throws Exception {
        Play dead = new Play()
                .mounted("nfs4")
                .fails("umount -c", 32, "umount: target is busy.")
                .breaks("stat -f", Kind.TOO_SLOW);
        dead.unmount();
        assertThat(dead.lines).containsExactly(PLAIN, PROBE, FORCED);
        Play stale = new Play()
                .mounted("nfs4")
                .fails("umount -c", 32, "umount: target is busy.")
                .fails("stat -f", 1, "Stale file handle")
                .fails("umount -c -i -f", 32, "umount: target is busy.");
        stale.unmount();
        assertThat(stale.lines).containsExactly(PLAIN, PROBE, FORCED, LAZY);
    }

    @Test
    void doesNotBelieveAProgramThatSaysItIsUnmounted() {
        Play play = new Play().mounted("nfs4").fails("stat -f", 1, "Input/output error");
        play.lies = true;
        VolumeException failure = play.unmountFailure();
        assertThat(failure.reason()).isEqualTo("StillMounted");
        assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(play.lines).containsExactly(PLAIN, PROBE, FORCED, LAZY);
    }

    @Test
    void neverUsesForceOnWhatIsNotKnownToComeFromAServer() {
        Play play = new Play().mounted("iso9660").breaks("umount -c", Kind.TOO_SLOW);
        assertThat(play.unmountFailure().reason()).isEqualTo("Busy");
        assertThat(play.lines).containsExactly(PLAIN);
        assertThat(play.steps).isEmpty();
    }

    @Test
    void unmountsAStackOfThem() throws Exception {
        Play play = new Play().mounted("nfs4").mounted("nfs4").mounted("cifs");
        play.unmount();
        assertThat(play.lines).containsExactly(PLAIN, PLAIN, PLAIN);
    }

    @Test
    void saysWhichProgramIsMissing() {
        Play play = new Play()
                .mounted("nfs4")
                .breaks("umount -c", Kind.MISSING)
                .breaks("mount -c -t nfs4 -- nas:/x TARGET", Kind.MISSING);
        assertThat(play.unmountFailure().reason()).isEqualTo("ProgramMissing");
        assertThat(play.mountFailure("nfs4").reason()).isEqualTo("ProgramMissing");
    }

    @Test
    void mountsWithoutAShellAndWithoutLookingUpPaths() throws Exception {
        Play play = new Play();
        play.mount("nfs", "vers=4.2", "ro");
        assertThat(play.lines).containsExactly("mount -c -t nfs -o vers=4.2,ro -- nas:/x TARGET (33 s)");
    }

    @Test
    void doesNotKnowWhatIsLeftWhenItTookTooLong() {
        Play play = new Play().breaks("mount -c -t nfs4 -- nas:/x TARGET", Kind.TOO_SLOW);
        VolumeException failure = play.mountFailure("nfs4");
        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        nfs4 | mount: /t: unknown filesystem type 'nfs4'. | ProgramMissing | mount.nfs is missing: apt-get install nfs-common
        nfs  | mount: /t: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program. | ProgramMissing | mount.nfs is missing: apt-get install nfs-common
        cifs | mount: /t: unknown filesystem type 'cifs'. | ProgramMissing | mount.cifs is missing: apt-get install cifs-utils
        nfs4 | mount.nfs4: No such device | MountFailed | mount failed: exit status 32
        ext4 | mount: /t: unknown filesystem type 'ext4'. | MountFailed | mount failed: exit status 32
        """)
    void tellsAMissingHelperFromARefusal(String type, String words, String reason, String message) {
        Play play = new Play().fails("mount -c -t " + type + " -- nas:/x TARGET", 32, words);
        VolumeException failure = play.mountFailure(type);
        assertThat(failure.reason()).isEqualTo(reason);
        assertThat(failure.getMessage()).startsWith(message);
        assertThat(failure.raw()).isEqualTo(words);
        assertThat(failure.left()).isEqualTo(Left.NOTHING);
    }

    @Test
    void saysItAsTheKubeletDoes() {
        Play play = new Play().fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: access denied");
        assertThat(play.mountFailure("nfs4")).hasMessage("""
            mount failed: exit status 32
            Mounting command: mount
            Mounting arguments: -c -t nfs4 -- nas:/x /own/pods/uid/volumes/kubernetes.io~nfs/pv
            Output: mount.nfs4: access denied
            """);
    }

    @Test
    void unmountsWhatWasMountedAlthoughItFailed() {
        Play play = new Play().fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: rpc.statd is not running");
        play.mountsAlthoughItFails = true;
        assertThat(play.mountFailure("nfs4").left()).isEqualTo(Left.NOTHING);
        assertThat(play.mounts).isEmpty();
        assertThat(play.lines).contains(PLAIN);
    }

    @Test
    void saysThatSomethingIsLeftIfThatCannotBeUnmounted() {
        Play play = new Play()
                .fails("mount -c -t nfs4 -- nas:/x TARGET", 32, "mount.nfs4: odd")
                .fails("umount -c", 32, "umount: target is busy.");
        play.mountsAlthoughItFails = true;
        VolumeException failure = play.mountFailure("nfs4");
        assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(failure.raw()).isEqualTo("mount.nfs4: odd");
    }

    @Test
    void doesNotBelieveAProgramThatSaysItIsMounted() {
        Play play = new Play();
        play.lies = true;
        VolumeException failure = play.mountFailure("nfs4");
        assertThat(failure.reason()).isEqualTo("NotMounted");
        assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
    }
}
