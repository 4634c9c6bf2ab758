package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.VolumeException.FailureState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A mounter on the real kernel in a temporary directory, in which everything is unmounted afterwards. */
abstract class MounterFixture {
    static final UnmountTimeouts LIMITS =
            new UnmountTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(5));

    @TempDir
    Path temporary;

    Path dir;
    NodeLayout layout;
    LinuxMounter mounter;
    Path target;
    Path source;

    @BeforeEach
    void prepare() throws IOException {
        HostMachine.assumeRoot();
        dir = temporary.toRealPath();
        layout = new NodeLayout(dir.resolve("own/root"));
        mounter = new LinuxMounter(layout, SystemCalls.real(), new ChildProcess());
        target = layout.volume("uid", "kubernetes.io/local-volume", "pv");
        source = Files.createDirectory(dir.resolve("source"));
        Files.writeString(source.resolve("file"), "data");
    }

    @AfterEach
    void unmountEverything() throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(dir);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", "-l", left.get(i).point());
        }
    }

    static void assertFails(ThrowingCall call, String reason, FailureState left) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
            assertThat(e.failureState()).isEqualTo(left);
        });
    }

    interface ThrowingCall {
        void run() throws Exception;
    }

    final void unmount() throws VolumeException, InterruptedException {
        mounter.unmount(target, LIMITS, OperationProgress.NO_OP);
    }

    final int mountCount() throws IOException {
        return MountTable.read().below(dir).size();
    }
}
