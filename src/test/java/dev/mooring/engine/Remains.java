package dev.mooring.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.Labels;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the machine and the engine have of a Mooring: asks the kernel and Docker, and nothing of Mooring's own.
 *
 * @param data of the server
 * @param pods uids of all Pods that there ever were
 */
record Remains(Path data, RealEngineApi docker, Set<String> pods) {
    private static final int MOUNT_POINT = 4;

    /** Everything, in words; nothing if nothing is left of any Pod. */
    List<String> all() {
        List<String> found = new ArrayList<>();
        containers().forEach(each -> found.add("container " + each.path("Names") + " " + each.path("State")));
        mounts().forEach(each -> found.add("mount " + each));
        loopDevices().forEach(each -> found.add("loop device " + each));
        directories().forEach(each -> found.add("directory " + each));
        return found;
    }

    List<JsonNode> containers() {
        return docker.containers(Labels.INSTANCE).stream()
                .filter(each -> pods.contains(
                        each.path("Labels").path("dev.mooring.pod.uid").asText()))
                .toList();
    }

    /** Containers that have the same place in the same Pod and run both, by their names. */
    List<String> twins() {
        Set<String> seen = new HashSet<>();
        return containers().stream()
                .filter(each -> each.path("State").asText().equals("running"))
                .map(each -> each.path("Labels").path("dev.mooring.pod.uid").asText()
                        + ' '
                        + each.path("Labels").path("dev.mooring.role").asText()
                        + ' '
                        + each.path("Labels").path("dev.mooring.container").asText())
                .filter(each -> !seen.add(each))
                .toList();
    }

    List<String> mounts() {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .map(line -> line.split(" ", -1)[MOUNT_POINT])
                    .filter(each -> Path.of(each).startsWith(data))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> loopDevices() {
        List<String> devices = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path each : all) {
                Path file = each.resolve("loop/backing_file");
                if (Files.exists(file) && Files.readString(file).startsWith(data.toString())) {
                    devices.add("/dev/" + each.getFileName());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return devices;
    }

    private List<String> directories() {
        Path parent = data.resolve("pods");
        List<String> names = new ArrayList<>();
        if (Files.isDirectory(parent)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(parent)) {
                all.forEach(each -> names.add(each.getFileName().toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return names;
    }

    /** Takes all of it away, so that a failed test leaves nothing to the next. */
    void sweep() {
        for (JsonNode each : containers()) {
            docker.delete("/containers/" + each.path("Id").asText() + "?force=1");
        }
        mounts().forEach(each -> run("umount", "-l", each));
        loopDevices().forEach(each -> run("losetup", "-d", each));
    }

    private static void run(String... command) {
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
