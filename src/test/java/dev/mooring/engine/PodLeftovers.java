package dev.mooring.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.testing.HostInspector;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Containers, mounts, loop devices and directories of Pods, as the kernel and Docker report them, not Mooring.
 *
 * @param data data directory of the server
 * @param pods UIDs of all Pods that were ever created
 */
record PodLeftovers(Path data, RealEngineApi docker, Set<String> pods) {
    /** Descriptions of everything that is left of Pods; empty if nothing is left. */
    List<String> all() {
        List<String> found = new ArrayList<>();
        containers().forEach(each -> found.add("container " + each.path("Names") + " " + each.path("State")));
        host().mounts().forEach(each -> found.add("mount " + each));
        host().loopDevices().forEach(each -> found.add("loop device " + each));
        directories().forEach(each -> found.add("directory " + each));
        return found;
    }

    List<JsonNode> containers() {
        return docker.containers(ContainerLabels.INSTANCE).stream()
                .filter(each -> pods.contains(
                        each.path("Labels").path("dev.mooring.pod.uid").asText()))
                .toList();
    }

    /** Pod UID, role and name of each container of which more than one is running. */
    List<String> duplicateContainers() {
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

    /** Mounts and loop devices below the data directory. */
    HostInspector host() {
        return new HostInspector(data);
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

    /** Removes everything, so that a failed test leaves nothing for the next. */
    void removeAll() {
        for (JsonNode each : containers()) {
            docker.delete("/containers/" + each.path("Id").asText() + "?force=1");
        }
        host().cleanUp();
    }
}
