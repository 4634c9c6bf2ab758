package dev.mooring.volume.block;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.FileStatus;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.HostInspector;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Images and loop devices below a directory of a test, removed on close, and their state in the kernel. */
final class LoopDeviceFixture implements AutoCloseable {
    static final long MEBI = 1024 * 1024;

    final Path root;
    final LoopDevices loops = new LoopDevices(new ChildProcess());

    LoopDeviceFixture(Path temp) throws IOException {
        HostMachine.assumeRoot();
        root = temp.toRealPath();
    }

    /** Creates a sparse image, or changes its size. */
    Path image(String name, long bytes) throws IOException {
        Path path = root.resolve(name);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
        }
        return path;
    }

    static void write(Path image, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }

    /** Creates a file system that contains one file. */
    void withData(Path image, String type) throws Exception {
        HostMachine.run("mkfs." + type, "-q", image.toString());
        onMounted(image, "echo precious > precious");
    }

    /** Mounts the image, runs a shell script in it and returns the output. */
    String onMounted(Path image, String script) throws Exception {
        Path point = Files.createDirectories(root.resolve("manual"));
        HostMachine.run("mount", "-o", "loop", image.toString(), point.toString());
        try {
            return HostMachine.run("sh", "-c", "cd " + point + " && " + script);
        } finally {
            HostMachine.run("umount", point.toString());
            awaitPendingDetachments();
        }
    }

    /** Detaches a loop device. */
    interface Detachment {
        void run() throws VolumeException, InterruptedException;
    }

    /**
     * Repeats a detachment, as the node does, while another process has the device open: each losetup(8) of a test in
     * another JVM opens all devices for a moment, and a starting container has a copy of all mounts.
     */
    static void detach(Detachment detachment) throws VolumeException, InterruptedException {
        boolean detached = false;
        while (!detached) {
            try {
                detachment.run();
                detached = true;
            } catch (VolumeException e) {
                if (!e.reason().equals(LoopDevices.IN_USE) || e.failureState() != FailureState.UNCERTAIN) {
                    throw e;
                }
            }
        }
    }

    /** Waits for the kernel to detach the devices that it detaches when no other process has them open any more. */
    void awaitPendingDetachments() throws Exception {
        ConditionPoller.until(() -> attached().stream().noneMatch(LoopDeviceFixture::isAutoclear));
    }

    private static boolean isAutoclear(String device) {
        Path name = Path.of(device).getFileName();
        try {
            return Files.readString(Path.of("/sys/block/" + name + "/loop/autoclear"))
                    .strip()
                    .equals("1");
        } catch (IOException detached) {
            return false;
        }
    }

    String attach(Path image) throws Exception {
        return loops.attach(image, status(image)).path();
    }

    static FileStatus status(Path image) throws Exception {
        return file(image).requireStatus();
    }

    static ImageFile file(Path image) throws Exception {
        return ImageFile.of(SystemCalls.real(), BlockVolumes.source("h", "", image));
    }

    static long allocated(Path image) throws IOException, InterruptedException {
        return Long.parseLong(HostMachine.run("stat", "-c", "%b", image.toString())) * 512;
    }

    /** Returns the loop devices of images below the directory. */
    List<String> attached() {
        return new HostInspector(root)
                .loopDevices().stream()
                        .map(each -> each.substring(0, each.indexOf(' ')))
                        .toList();
    }

    /** Returns the mount points below the directory. */
    List<String> mounted() throws IOException {
        return MountTable.read().below(root).stream()
                .map(MountTable.Mount::point)
                .toList();
    }

    /** Returns whether this process may grow a mounted ext4. */
    static boolean mayGrowMounted() throws IOException {
        int sysResource = 24;
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> sysResource & 1) == 1);
    }

    @Override
    public void close() throws Exception {
        new HostInspector(root).cleanUp();
        awaitPendingDetachments();
    }
}
