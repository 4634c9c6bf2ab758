package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Mounts below a directory of a benchmark. Closing it unmounts them, so that the directory can be removed. */
final class BenchmarkMounts implements AutoCloseable {
    private static final int MOUNT_POINT = 4;
    private static final int AT_ONCE = 200;

    private final Path root;

    BenchmarkMounts(Path root) throws IOException {
        this.root = root.toRealPath();
    }

    List<String> points() throws IOException {
        List<String> points = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            String point = line.split(" ", -1)[MOUNT_POINT];
            if (Path.of(point).startsWith(root)) {
                points.add(point);
            }
        }
        return points;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        List<String> points = points();
        Collections.reverse(points);
        for (int i = 0; i < points.size(); i += AT_ONCE) {
            List<String> command = new ArrayList<>(List.of("umount", "-l", "--"));
            command.addAll(points.subList(i, Math.min(points.size(), i + AT_ONCE)));
            new ProcessBuilder(command).inheritIO().start().waitFor();
        }
    }
}
