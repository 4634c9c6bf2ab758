package dev.mooring.bench;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The yardstick for a Pod's volumes: the same directories and mounts, made by the same code one after another, without
 * API, log or controllers.
 */
final class VolumeMountBaseline {
    private static final int PERMISSIONS = 0777;

    private final NodeLayout layout;
    private final Mounter mounter;
    private int number;

    VolumeMountBaseline(Path directory) throws IOException {
        this.layout = new NodeLayout(directory.toRealPath());
        this.mounter = new LinuxMounter(layout, SystemCalls.real(), new ChildProcess());
    }

    /** Same as {@link VolumeMountFixture#cycle}; a claim for a directory of the machine needs no mount. */
    VolumeMountFixture.Cycle cycle() throws VolumeException, InterruptedException, IOException {
        String uid = "pod-" + ++number;
        Path settings = layout.volume(uid, "kubernetes.io/configmap", "a");
        Path password = layout.volume(uid, "kubernetes.io/secret", "b");
        Path scratch = layout.volume(uid, "kubernetes.io/empty-dir", "c");
        long start = System.nanoTime();
        mounter.makeDirectory(settings);
        Files.writeString(settings.resolve("colour"), "blue");
        mounter.mountTmpfs(password, new TmpfsOptions(0, PERMISSIONS));
        Files.writeString(password.resolve("word"), "secret");
        mounter.makeDirectory(scratch);
        double up = (System.nanoTime() - start) / 1e9;
        long end = System.nanoTime();
        mounter.unmount(password, UnmountTimeouts.LOCAL, OperationProgress.NO_OP);
        Files.delete(settings.resolve("colour"));
        for (Path each : List.of(settings, password, scratch)) {
            mounter.removeDirectory(each);
        }
        return new VolumeMountFixture.Cycle(up, (System.nanoTime() - end) / 1e9);
    }
}
