package dev.mooring.volume.subpath;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A node with a volume that a container can write, and a directory outside of it. */
final class SubPathFixture implements AutoCloseable {
    static final String POD = "0f3a";
    static final Duration LONG = Duration.ofMinutes(1);

    final Path base;
    final Path volume;
    final Path outside;
    final NodeLayout layout;
    final SystemCallMounter mounter = new SystemCallMounter();

    SubPathFixture(Path temp) throws IOException {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("node")));
        volume = Files.createDirectories(layout.volume(POD, "kubernetes.io/empty-dir", "data"));
        outside = Files.createDirectories(base.resolve("outside"));
        Files.createFile(outside.resolve("secret"));
    }

    SubPaths subPaths() {
        return subPaths(SystemCalls.real());
    }

    SubPaths subPaths(SystemCalls calls) {
        return new SubPaths(layout, mounter, calls, new ChildProcess(), LONG);
    }

    static SubPathRequest request(Path volume, String subPath, Access access) {
        return request(volume, subPath, "data", "web", 0, access);
    }

    static SubPathRequest request(
            Path root, String subPath, String volume, String container, int index, Access access) {
        return new SubPathRequest(
                root, subPath, new SubPathRequest.SubPathOwner(POD, volume, "my-" + volume, container, index), access);
    }

    Path prepare(String subPath) throws VolumeException, InterruptedException {
        return subPaths().prepare(request(volume, subPath, Access.READ_WRITE));
    }

    Path target() {
        return layout.subPath(POD, "data", "web", 0);
    }

    Path subPathsOfPod() {
        return layout.pod(POD).resolve("volume-subpaths");
    }

    List<MountTable.Mount> mounts() throws VolumeException {
        return mounter.table().below(base);
    }

    @Override
    public void close() throws Exception {
        mounter.fakeMounts = List.of();
        List<MountTable.Mount> left = mounts();
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", left.get(i).point());
        }
    }
}
