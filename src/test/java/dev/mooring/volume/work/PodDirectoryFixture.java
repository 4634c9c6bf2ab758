package dev.mooring.volume.work;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Directories of Pods on the real disk in a temporary directory, in which everything is unmounted afterwards. */
abstract class PodDirectoryFixture {
    @TempDir
    Path temporary;

    Path dir;
    NodeLayout layout;
    LinuxMounter mounter;
    PodDirectory directory;
    Path pod;

    /** Data of users, which must not be changed. */
    Path data;

    @BeforeEach
    void prepare() throws IOException {
        dir = temporary.toRealPath();
        layout = new NodeLayout(dir.resolve("root"));
        mounter = new LinuxMounter(layout, SystemCalls.real(), new ChildProcess());
        directory = new PodDirectory(layout, mounter, SystemCalls.real());
        pod = layout.pod("u");
        data = Files.createDirectories(dir.resolve("data"));
        Files.createDirectories(data.resolve("empty"));
        Files.createDirectories(data.resolve("full/deep"));
        Files.writeString(data.resolve("full/file"), "precious");
        Files.createFile(data.resolve("0"));
    }

    @AfterEach
    void unmountEverything() throws IOException, InterruptedException {
        List<MountTable.Mount> left = MountTable.read().below(dir);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", "-l", left.get(i).point());
        }
    }

    /**
     * Creates a directory ({@code d:path}), file with content ({@code f:}), empty file ({@code e:}) or link to the data
     * ({@code l:}).
     */
    final void make(String entry) throws IOException {
        Path path = entry.substring(2).equals(".") ? pod : pod.resolve(entry.substring(2));
        Files.createDirectories(path.getParent());
        switch (entry.charAt(0)) {
            case 'd' -> Files.createDirectories(path);
            case 'f' -> Files.writeString(path, "something");
            case 'e' -> Files.createFile(path);
            case 'l' -> Files.createSymbolicLink(path, data);
            default -> throw new IllegalArgumentException(entry);
        }
    }

    final void bind(Path source, String target) throws VolumeException {
        mounter.bind(source, pod.resolve(target), Access.READ_WRITE);
    }
}
