package dev.mooring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Mounts, loop devices and files of this machine below a directory of a test, as the kernel reports them. */
public record HostInspector(Path root) {
    private static final int MOUNT_POINT = 4;

    /** Mount points, sorted; one entry for each mount. */
    public List<String> mounts() {
        List<String> points = new ArrayList<>();
        for (String line : lines(Path.of("/proc/self/mountinfo"))) {
            String point = line.split(" ", -1)[MOUNT_POINT].replace("\\040", " ");
            if (Path.of(point).startsWith(root)) {
                points.add(point);
            }
        }
        Collections.sort(points);
        return points;
    }

    /** Loop devices with their images, sorted; one entry for each device. */
    public List<String> loopDevices() {
        List<String> images = new ArrayList<>();
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path each : devices) {
                String image = backingFile(each);
                if (image.startsWith(root + "/")) {
                    images.add("/dev/" + each.getFileName() + " " + image);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(images);
        return images;
    }

    /**
     * Returns the image of a loop device; "" if it has none. Other processes detach devices at any time: the file then
     * vanishes or fails to be read.
     */
    private static String backingFile(Path device) {
        try {
            return Files.readString(device.resolve("loop/backing_file")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Relative paths of all files below a directory, sorted; empty if it does not exist. It must contain no mounts. */
    public List<String> names(String below) {
        Path directory = root.resolve(below);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
                    if (!each.equals(directory)) {
                        found.add(directory.relativize(each).toString());
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
                    found.add(directory.relativize(each).toString());
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path each, IOException e) throws IOException {
                    if (e instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE; // removed during the walk
                    }
                    throw e;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(found);
        return found;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unmounts and detaches everything that a failed test has left, so that its directory can be deleted. */
    public void cleanUp() {
        for (String each : mounts().stream().sorted(Comparator.reverseOrder()).toList()) {
            run("umount", "-l", each);
        }
        for (String each : loopDevices()) {
            run("losetup", "-d", each.substring(0, each.indexOf(' ')));
        }
    }

    /** Runs a command and returns its output and errors, followed by the exit code if it is not 0. */
    public static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output.strip() : output.strip() + " (" + process.exitValue() + ")";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
