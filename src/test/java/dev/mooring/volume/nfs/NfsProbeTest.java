package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.nfs.Health.State;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandException.Kind;
import dev.mooring.volume.process.CommandResult;
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
    void asksTheServerByAChildWithADeadline() throws InterruptedException {
        List<Command> asked = new ArrayList<>();
        NfsProbe probe = new NfsProbe(command -> {
            asked.add(command);
            return new CommandResult(0, "nfs\n", "");
        });

        assertThat(probe.probe(TARGET)).isEqualTo(Health.FINE);
        assertThat(asked)
                .containsExactly(Command.of(Duration.ofSeconds(5), "stat", "-f", "-c", "%T", "--", "" + TARGET));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Stale file handle       | STALE       | no longer knows the directory",
                "Stale NFS file handle   | STALE       | fresh mount",
                "Connection timed out    | UNREACHABLE | did not answer in the time the mount options allow",
                "No route to host        | UNREACHABLE | did not answer",
                "Host is down            | UNREACHABLE | did not answer",
                "Input/output error      | FAILED      | soft mount gave up waiting",
                "Permission denied       | FAILED      | no longer permits this client",
                "No such file or directory | FAILED    | nothing at",
                "Bad message             | FAILED      | Bad message"
            })
    void translatesWhatItSays(String errno, State state, String words) throws InterruptedException {
        String said = "stat: cannot read file system information for '" + TARGET + "': " + errno;
        Health health = new NfsProbe(command -> new CommandResult(1, "", said + "\n")).probe(TARGET);

        assertThat(health.state()).isEqualTo(state);
        assertThat(health.words()).contains(words);
        assertThat(health.raw()).isEqualTo(said);
        assertThat(health.isFine()).isFalse();
    }

    @Test
    void aChildThatHangsMeansThatTheServerDoes() throws InterruptedException {
        NfsProbe probe = new NfsProbe(command -> {
            throw new CommandException(Kind.TOO_SLOW, "killed");
        });

        Health health = probe.probe(TARGET);

        assertThat(health.state()).isEqualTo(State.UNREACHABLE);
        assertThat(health.words()).contains("did not answer within 5 s");
        assertThat(health.raw()).isEqualTo("killed");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"MISSING", "NOT_STARTED"})
    void aChildThatCannotBeStartedSaysNothingAboutTheServer(Kind kind) throws InterruptedException {
        NfsProbe probe = new NfsProbe(command -> {
            throw new CommandException(kind, "no such program");
        });

        assertThat(probe.probe(TARGET).state()).isEqualTo(State.FAILED);
    }

    @Test
    void noticesThatSomebodyHasUnmountedIt() throws InterruptedException {
        Health health = new NfsProbe(command -> new CommandResult(0, "ext2/ext3\n", "")).probe(TARGET);

        assertThat(health.state()).isEqualTo(State.FAILED);
        assertThat(health.words()).contains("found ext2/ext3");
    }

    @Test
    void theRealProgramUnderstandsTheQuestion(@TempDir Path directory) throws InterruptedException {
        NfsProbe probe = new NfsProbe(new ChildProcess());

        assertThat(probe.probe(directory).words()).contains("expected NFS at " + directory + ", but found ");
        assertThat(probe.probe(directory.resolve("-x y")).words()).contains("nothing at");
    }
}
