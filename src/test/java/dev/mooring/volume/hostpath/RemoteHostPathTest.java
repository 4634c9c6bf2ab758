package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandException;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of PersistentVolumes on a mounted share, which only child processes may access. */
class RemoteHostPathTest extends HostPathFixture {
    @Test
    void setUp_remotePath_isCreatedAndBoundByChildProcess() throws Exception {
        Path share = server();

        SetUpResult done = setUp(share.resolve("a/b"), "DirectoryOrCreate");

        assertThat(done.path()).isEqualTo(target);
        assertThat(commands).contains("stat", "java");
        assertThat(mounted().root()).isEqualTo("/a/b");
        assertThat(mounted().options()).contains("rw", "nosuid", "nodev");
        assertThat(HostMachine.permissions(share.resolve("a/b"))).isEqualTo("755");
        int id = mounted().id();
        setUp(share.resolve("a/b"), "Directory");
        assertThat(mounted().id()).as("again").isEqualTo(id);
        tearDown();

        plugin(SystemCalls.real())
                .setUp(setUpRequest(share.resolve("a/f"), "FileOrCreate", Access.READ_ONLY), OperationProgress.NO_OP);
        assertThat(mounted().isReadOnly()).isTrue();
        tearDown();
        assertThat(target).doesNotExist();
        assertThat(share.resolve("a/f")).isEmptyFile();
    }

    @Test
    void setUp_remoteLink_fails() throws Exception {
        Path share = server();
        Files.createSymbolicLink(share.resolve("cache"), outside);

        for (String path : List.of("cache", "cache/inner", "cache/new")) {
            assertThat(refusal(share.resolve(path), "DirectoryOrCreate"))
                    .as(path)
                    .hasMessageContaining("is, or is reached through, a symbolic link to " + outside);
        }
        assertOutsideUntouched();
    }

    /** The link is planted between the inspection and the bind. */
    @Test
    void setUp_remoteLinkPlantedAfterInspection_fails() throws Exception {
        Path share = server();
        byte[] good = bytes(Files.createDirectories(share.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(share.resolve("evil"), outside));
        for (String path : List.of("sub", "sub/inner")) {
            runner = command -> {
                boolean binds = command.program().endsWith("/java");
                if (binds) {
                    exchange(good, evil);
                }
                try {
                    return new ChildProcess().run(command);
                } finally {
                    if (binds) {
                        exchange(good, evil);
                    }
                }
            };
            assertThat(refusal(share.resolve(path), "Directory").reason()).isEqualTo("Changed");
        }
        assertOutsideUntouched();
    }

    @Test
    void setUp_bindTimesOut_failsAsUncertain() throws Exception {
        Path share = server();
        runner = command -> {
            if (command.program().endsWith("/java")) {
                throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "killed");
            }
            return new ChildProcess().run(command);
        };

        VolumeException failure = catchThrowableOfType(VolumeException.class, () -> setUp(share, "Directory"));

        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
    }
}
