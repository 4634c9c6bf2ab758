package dev.mooring.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A mounter on the kernel of this machine, in a place of the test's own, from which everything is unmounted afterwards. */
abstract class MountBench {
    static final UnmountLimits LIMITS =
            new UnmountLimits(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(5));

    @TempDir
    Path temporary;

    Path dir;
    NodeLayout layout;
    LinuxMounter mounter;
    Path target;
    Path source;

    @BeforeEach
    void prepare() throws IOException {
        Machine.assumeRoot();
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
            Machine.run("umount", "-l", left.get(i).point());
        }
    }

    static void mustRefuse(ThrowingCall call, String reason, Left left) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
            assertThat(e.left()).isEqualTo(left);
        });
    }

    interface ThrowingCall {
        void run() throws Exception;
    }

    final void unmount() throws VolumeException, InterruptedException {
        mounter.unmount(target, LIMITS, Progress.IGNORED);
    }

    final int mountsHere() throws IOException {
        return MountTable.read().below(dir).size();
    }
}
