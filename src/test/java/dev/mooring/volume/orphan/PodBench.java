package dev.mooring.volume.orphan;

import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Directories of Pods on the disk of this machine, in a place of the test's own, from which everything is unmounted afterwards. */
abstract class PodBench {
    @TempDir
    Path temporary;

    Path dir;
    NodeLayout layout;
    LinuxMounter mounter;
    PodDirectory directory;
    Path pod;

    /** What nobody may touch. */
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
            Machine.run("umount", "-l", left.get(i).point());
        }
    }

    /** {@code d:path} a directory, {@code f:path} a file with something in it, {@code e:path} an empty one, {@code l:path} a link to the data. */
    final void make(String what) throws IOException {
        Path path = what.substring(2).equals(".") ? pod : pod.resolve(what.substring(2));
        Files.createDirectories(path.getParent());
        switch (what.charAt(0)) {
            case 'd' -> Files.createDirectories(path);
            case 'f' -> Files.writeString(path, "something");
            case 'e' -> Files.createFile(path);
            case 'l' -> Files.createSymbolicLink(path, data);
            default -> throw new IllegalArgumentException(what);
        }
    }

    final void bind(Path source, String target) throws VolumeException {
        mounter.bind(source, pod.resolve(target), Access.READ_WRITE);
    }
}
