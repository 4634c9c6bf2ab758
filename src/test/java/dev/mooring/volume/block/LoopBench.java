package dev.mooring.volume.block;

import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Images and loop devices below a directory of a test, all of which go with it, and what the kernel says of them. */
final class LoopBench implements AutoCloseable {
    static final long MEBI = 1024 * 1024;

    final Path root;
    final LoopDevices loops = new LoopDevices(new ChildProcess());

    LoopBench(Path temp) throws IOException {
        Machine.assumeRoot();
        root = temp.toRealPath();
    }

    /** A hole of so many bytes. */
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

    /** An ext4 with one file in it. */
    void withData(Path image, String type) throws IOException, InterruptedException {
        Machine.run("mkfs." + type, "-q", image.toString());
        onMounted(image, "echo precious > precious");
    }

    /** Runs a shell in an image that is mounted meanwhile; answers with the output. */
    String onMounted(Path image, String script) throws IOException, InterruptedException {
        Path point = Files.createDirectories(root.resolve("by-hand"));
        Machine.run("mount", "-o", "loop", image.toString(), point.toString());
        try {
            return Machine.run("sh", "-c", "cd " + point + " && " + script);
        } finally {
            Machine.run("umount", point.toString());
        }
    }

    String attach(Path image) throws Exception {
        return loops.attach(image, status(image)).path();
    }

    static FileStatus status(Path image) throws Exception {
        return file(image).mustBeThere();
    }

    static ImageFile file(Path image) throws Exception {
        return ImageFile.of(SystemCalls.real(), BlockVolumes.source("h", "", image));
    }

    static long allocated(Path image) throws IOException, InterruptedException {
        return Long.parseLong(Machine.run("stat", "-c", "%b", image.toString())) * 512;
    }

    /** The loop devices of images below the directory. */
    List<String> attached() throws IOException {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path each : all) {
                Path file = each.resolve("loop/backing_file");
                if (Files.exists(file) && content(file).startsWith(root + "/")) {
                    found.add("/dev/" + each.getFileName());
                }
            }
        }
        return found;
    }

    private static String content(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException expected) {
            return "";
        }
    }

    /** What is mounted below the directory. */
    List<String> mounted() throws IOException {
        return MountTable.read().below(root).stream()
                .map(MountTable.Mount::point)
                .toList();
    }

    /** Whether ext4 can be grown here while it is mounted. */
    static boolean mayGrowMounted() throws IOException {
        int sysResource = 24;
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("CapEff:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> sysResource & 1) == 1);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        List<String> points = new ArrayList<>(mounted());
        for (int i = points.size() - 1; i >= 0; i--) {
            new ProcessBuilder("umount", points.get(i)).inheritIO().start().waitFor();
        }
        for (String each : attached()) {
            new ProcessBuilder("losetup", "--detach", each).inheritIO().start().waitFor();
        }
    }
}
