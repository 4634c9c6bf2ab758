package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.testing.ChildProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a mount table that shows a real directory as NFS. */
class IsolatedFileOperationsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;
    private MountTableSupplier mounts;
    private final FileOperations unusedOperations = job -> {
        throw new AssertionError(job.target() + " must be accessed by a child process only");
    };

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
        mounts = () -> new MountTable(List.of(
                new MountTable.Mount("8:1", "/", "/", "ext4", "/dev/sda1"),
                new MountTable.Mount("0:40", "/", fixture.allowed.toString(), "nfs4", "server:/export")));
    }

    private DirectoryJob job(DirectoryJob.DirectoryAction action) {
        return new DirectoryJob(
                action,
                List.of(fixture.allowed),
                Optional.empty(),
                fixture.allowed.resolve("pv-a"),
                new DirectoryJob.DirectoryOwner(
                        "pv-a", VolumeWorkFixture.UID, OnDelete.RETAIN, Optional.of(VolumeWorkFixture.CLAIM)),
                new VolumeDataCreator.DirectoryCreator(0750, -1, -1));
    }

    @Test
    void perform_remotePath_runsInChildProcess() throws Exception {
        FileOperations operations = new IsolatedFileOperations(unusedOperations, mounts, new ChildProcess(), LONG);
        assertThat(operations.perform(job(DirectoryJob.DirectoryAction.MAKE))).isEmpty();
        assertThat(HostMachine.permissions(fixture.allowed.resolve("pv-a"))).isEqualTo("750");
        assertThat(operations.perform(job(DirectoryJob.DirectoryAction.REMOVE)).orElseThrow())
                .startsWith("retained the data");
        Files.delete(fixture.allowed.resolve(".mooring/kept.notes/" + VolumeWorkFixture.UID));
        VolumeWorkException e = catchThrowableOfType(
                VolumeWorkException.class, () -> operations.perform(job(DirectoryJob.DirectoryAction.REMOVE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.UNMARKED);
        assertThat(e).hasMessageContaining(fixture.allowed.toString());
    }

    @Test
    void perform_childTimesOut_isKilled() {
        // Earlier tests may not have waited for the end of theirs.
        List<ProcessHandle> before = ChildProcesses.running();
        FileOperations operations = new IsolatedFileOperations(
                unusedOperations,
                mounts,
                command -> new ChildProcess().run(Command.of(Duration.ofMillis(200), "sleep", "600")),
                LONG);
        VolumeWorkException e = catchThrowableOfType(
                VolumeWorkException.class, () -> operations.perform(job(DirectoryJob.DirectoryAction.MAKE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.TOO_SLOW);
        assertThat(e).hasMessageContaining("check that the server of that file system responds");
        assertThat(ChildProcesses.running()).isSubsetOf(before);
    }

    @Test
    void perform_childFails_reportsItsOutput() {
        FileOperations operations = new IsolatedFileOperations(
                unusedOperations,
                mounts,
                command -> new ChildProcess().run(Command.of(LONG, "sh", "-c", "echo no memory >&2; exit 3")),
                LONG);
        VolumeWorkException e = catchThrowableOfType(
                VolumeWorkException.class, () -> operations.perform(job(DirectoryJob.DirectoryAction.MAKE)));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.COMMAND_FAILED);
        assertThat(e).hasMessageContaining("exited with code 3");
        assertThat(e.raw()).contains("no memory");
    }

    @Test
    void jobJson_roundTrip_returnsSameJob() throws Exception {
        DirectoryJob job = job(DirectoryJob.DirectoryAction.EMPTY);
        assertThat(DirectoryJobJson.readJob(DirectoryJobJson.write(job))).isEqualTo(job);
    }
}
