package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.testing.LivingChildren;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a mount table that says that the real directory is one of NFS. */
class CarefulHandsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private Bench bench;
    private Mounts mounts;
    private final Hands notOurs = job -> {
        throw new AssertionError("Expected a child process for " + job.target() + ", but it was touched here");
    };

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
        mounts = () -> new MountTable(List.of(
                new MountTable.Mount("8:1", "/", "/", "ext4", "/dev/sda1"),
                new MountTable.Mount("0:40", "/", bench.allowed.toString(), "nfs4", "server:/export")));
    }

    private DirectoryJob job(DirectoryJob.Action action) {
        return new DirectoryJob(
                action,
                List.of(bench.allowed),
                Optional.empty(),
                bench.allowed.resolve("pv-a"),
                new DirectoryJob.Owner("pv-a", Bench.UID, OnDelete.RETAIN),
                new Making.OfDirectory(0750, -1, -1));
    }

    @Test
    void worksInAChildProcessWhereAFileSystemMayHang() throws Exception {
        Hands hands = new CarefulHands(notOurs, mounts, new ChildProcess(), LONG);
        assertThat(hands.perform(job(DirectoryJob.Action.MAKE))).isEmpty();
        assertThat(Machine.permissions(bench.allowed.resolve("pv-a"))).isEqualTo("750");
        assertThat(hands.perform(job(DirectoryJob.Action.REMOVE)).orElseThrow()).startsWith("kept the data");
        Files.delete(bench.allowed.resolve(".mooring/kept.notes/" + Bench.UID));
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> hands.perform(job(DirectoryJob.Action.REMOVE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.UNMARKED);
        assertThat(e).hasMessageContaining(bench.allowed.toString());
    }

    @Test
    void killsTheChildThatHangs() {
        Hands hands = new CarefulHands(
                notOurs,
                mounts,
                command -> new ChildProcess().run(Command.of(Duration.ofMillis(200), "sleep", "600")),
                LONG);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> hands.perform(job(DirectoryJob.Action.MAKE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.TOO_SLOW);
        assertThat(e).hasMessageContaining("is the server of that file system alive");
        assertThat(LivingChildren.now()).isEmpty();
    }

    @Test
    void tellsWhatAChildSaidThatDied() {
        Hands hands = new CarefulHands(
                notOurs,
                mounts,
                command -> new ChildProcess().run(Command.of(LONG, "sh", "-c", "echo no memory >&2; exit 3")),
                LONG);
        VolumeWorkException e =
                catchThrowableOfType(VolumeWorkException.class, () -> hands.perform(job(DirectoryJob.Action.MAKE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.COMMAND_FAILED);
        assertThat(e).hasMessageContaining("ended with 3");
        assertThat(e.raw()).contains("no memory");
    }

    @Test
    void handsAJobOverAsItIs() throws Exception {
        DirectoryJob job = job(DirectoryJob.Action.EMPTY);
        assertThat(JobJson.readJob(JobJson.write(job))).isEqualTo(job);
    }
}
