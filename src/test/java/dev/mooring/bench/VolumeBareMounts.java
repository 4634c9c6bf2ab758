package dev.mooring.bench;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The yardstick of a Pod's volumes: the same directories and mounts made by the same code, one after another, and nothing else: no
 * API, no log, nobody who decides.
 */
final class VolumeBareMounts {
    private static final int PERMISSIONS = 0777;

    private final NodeLayout layout;
    private final Mounter mounter;
    private int number;

    VolumeBareMounts(Path directory) throws IOException {
        this.layout = new NodeLayout(directory.toRealPath());
        this.mounter = new LinuxMounter(layout, SystemCalls.real(), new ChildProcess());
    }

    /** As in {@link VolumeStage#cycle}; a claim for a directory of the machine is that directory, and needs no mount. */
    VolumeStage.Cycle cycle() throws VolumeException, InterruptedException, IOException {
        String uid = "pod-" + ++number;
        Path settings = layout.volume(uid, "kubernetes.io/configmap", "a");
        Path password = layout.volume(uid, "kubernetes.io/secret", "b");
        Path scratch = layout.volume(uid, "kubernetes.io/empty-dir", "c");
        long start = System.nanoTime();
        mounter.makeDirectory(settings);
        Files.writeString(settings.resolve("colour"), "blue");
        mounter.memory(password, new MemorySize(0, PERMISSIONS));
        Files.writeString(password.resolve("word"), "secret");
        mounter.makeDirectory(scratch);
        double up = (System.nanoTime() - start) / 1e9;
        long end = System.nanoTime();
        mounter.unmount(password, UnmountLimits.LOCAL, Progress.IGNORED);
        Files.delete(settings.resolve("colour"));
        for (Path each : List.of(settings, password, scratch)) {
            mounter.removeDirectory(each);
        }
        return new VolumeStage.Cycle(up, (System.nanoTime() - end) / 1e9);
    }
}
