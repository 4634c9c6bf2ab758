package dev.mooring.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What this machine has below a directory of a test: mounts, loop devices, files. Asks the kernel, and nothing of Mooring's. */
record NodeMachine(Path root) {
    private static final int MOUNT_POINT = 4;

    /** Where something is mounted, as often as it is, in the order of names. */
    List<String> mounts() {
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

    /** Images that are attached, as often as they are. */
    List<String> loopDevices() {
        List<String> images = new ArrayList<>();
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path each : devices) {
                Path file = each.resolve("loop/backing_file");
                if (Files.exists(file) && Files.readString(file).startsWith(root.toString())) {
                    images.add("/dev/" + each.getFileName() + " "
                            + Files.readString(file).strip());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(images);
        return images;
    }

    /** Everything below one of its directories, by relative names; nothing if it is not there. Nothing is to be mounted below it. */
    List<String> names(String below) {
        Path directory = root.resolve(below);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> !each.equals(directory))
                    .map(each -> directory.relativize(each).toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes everything away that a failed test has left, so that its directory can go. */
    void cleanUp() {
        for (String each : mounts().stream().sorted(Comparator.reverseOrder()).toList()) {
            run("umount", "-l", each);
        }
        for (String each : loopDevices()) {
            run("losetup", "-d", each.substring(0, each.indexOf(' ')));
        }
    }

    /** What a program says; both of its outputs. */
    static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? said.strip() : said.strip() + " (" + process.exitValue() + ")";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
