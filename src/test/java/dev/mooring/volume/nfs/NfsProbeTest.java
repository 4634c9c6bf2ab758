package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandException.CommandFailureKind;
import dev.mooring.host.CommandResult;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.MountHealth.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NfsProbeTest {
    private static final Path TARGET = Path.of("/mooring/pods/u1/volumes/kubernetes.io~nfs/data");

    @Test
    void probe_runsStatInChildProcessWithDeadline() throws InterruptedException {
        List<Command> commands = new ArrayList<>();
        NfsProbe probe = new NfsProbe(command -> {
            commands.add(command);
            return new CommandResult(0, "nfs\n", "");
        });

        assertThat(probe.probe(TARGET)).isEqualTo(MountHealth.HEALTHY);
        assertThat(commands)
                .containsExactly(Command.of(Duration.ofSeconds(5), "stat", "-f", "-c", "%T", "--", "" + TARGET));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Stale file handle       | STALE       | no longer knows the directory",
                "Stale NFS file handle   | STALE       | new mount",
                "Connection timed out    | UNREACHABLE | did not respond in the time the mount options allow",
                "No route to host        | UNREACHABLE | did not respond",
                "Host is down            | UNREACHABLE | did not respond",
                "Input/output error      | FAILED      | soft mount gave up waiting",
                "Permission denied       | FAILED      | no longer permits this client",
                "No such file or directory | FAILED    | does not exist any more",
                "Bad message             | FAILED      | Bad message"
            })
    void probe_error_hasStateAndMessage(String errno, State state, String message) throws InterruptedException {
        String error = "stat: cannot read file system information for '" + TARGET + "': " + errno;
        MountHealth health = new NfsProbe(command -> new CommandResult(1, "", error + "\n")).probe(TARGET);

        assertThat(health.state()).isEqualTo(state);
        assertThat(health.message()).contains(message);
        assertThat(health.raw()).isEqualTo(error);
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void probe_childTimesOut_reportsUnreachable() throws InterruptedException {
        NfsProbe probe = new NfsProbe(command -> {
            throw new CommandException(CommandFailureKind.TIMED_OUT, "killed");
        });

        MountHealth health = probe.probe(TARGET);

        assertThat(health.state()).isEqualTo(State.UNREACHABLE);
        assertThat(health.message()).contains("did not respond within 5 s");
        assertThat(health.raw()).isEqualTo("killed");
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandFailureKind.class,
            names = {"MISSING", "NOT_STARTED"})
    void probe_childNotStarted_reportsFailed(CommandFailureKind kind) throws InterruptedException {
        NfsProbe probe = new NfsProbe(command -> {
            throw new CommandException(kind, "no such program");
        });

        assertThat(probe.probe(TARGET).state()).isEqualTo(State.FAILED);
    }

    @Test
    void probe_volumeUnmounted_reportsFailed() throws InterruptedException {
        MountHealth health = new NfsProbe(command -> new CommandResult(0, "ext2/ext3\n", "")).probe(TARGET);

        assertThat(health.state()).isEqualTo(State.FAILED);
        assertThat(health.message()).contains("is not an NFS mount, but ext2/ext3");
    }

    @Test
    void probe_realProgram_succeeds(@TempDir Path directory) throws InterruptedException {
        NfsProbe probe = new NfsProbe(new ChildProcess());

        assertThat(probe.probe(directory).message()).contains(directory + " is not an NFS mount, but ");
        assertThat(probe.probe(directory.resolve("-x y")).message()).contains("does not exist any more");
    }
}
