package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Claims, volumes, operations, Pods and data at one time, to be compared with the expected final state.
 *
 * @param claims all claims
 * @param volumes all volumes
 * @param operations all operations; none must be left
 * @param pods all Pods; each must have a node
 */
record StorageKillState(List<JsonNode> claims, List<JsonNode> volumes, List<JsonNode> operations, List<JsonNode> pods) {
    private static final String MARKERS = ".mooring";

    /**
     * Expected final state.
     *
     * @param kept names of the claims that were not deleted
     * @param volumesOfUser names of the volumes that users have created
     * @param base directory with the data of all other volumes
     */
    record ExpectedState(Set<String> kept, Set<String> volumesOfUser, Path base) {}

    /** Differences from the expected state. */
    List<String> problems(ExpectedState expected) {
        List<String> problems = new ArrayList<>();
        operations.forEach(each -> problems.add("left over: " + name(each) + " " + each.path("status")));
        pods.stream()
                .filter(each -> each.at("/spec/nodeName").asText().isEmpty())
                .forEach(each -> problems.add("Pod " + name(each) + " has no node: " + each.path("status")));
        Map<String, JsonNode> claimsByUid = new HashMap<>();
        claims.forEach(each -> claimsByUid.put(uid(each), each));
        Map<String, JsonNode> volumesByName = new HashMap<>();
        volumes.forEach(each -> volumesByName.put(name(each), each));
        claimProblems(expected, volumesByName, problems);
        for (JsonNode each : volumes) {
            volumeProblem(expected, each, claimsByUid, problems);
        }
        expected.volumesOfUser().stream()
                .filter(each -> !volumesByName.containsKey(each))
                .forEach(each -> problems.add("missing volume of a user: " + each));
        if (problems.isEmpty()) {
            dataProblems(expected.base(), problems);
        }
        return problems;
    }

    private void claimProblems(ExpectedState expected, Map<String, JsonNode> volumesByName, List<String> problems) {
        Set<String> missing = new TreeSet<>(expected.kept());
        for (JsonNode each : claims) {
            if (!missing.remove(name(each))) {
                problems.add("deleted, but still present: claim " + name(each) + " " + each.path("status"));
                continue;
            }
            String volume = each.at("/spec/volumeName").asText();
            JsonNode bound = volumesByName.get(volume);
            if (!phase(each).equals("Bound")) {
                problems.add("claim " + name(each) + " is not Bound: " + each.path("status"));
            } else if (bound == null) {
                problems.add("claim " + name(each) + " is Bound to a missing volume " + volume);
            } else if (!bound.at("/spec/claimRef/uid").asText().equals(uid(each))) {
                problems.add("claim " + name(each) + " is Bound to the volume of another claim " + bound.path("spec"));
            } else if (!each.at("/status/volumeName").asText().equals(volume)) {
                problems.add("claim " + name(each) + " has the status of another volume: " + each.path("status"));
            }
        }
        missing.forEach(each -> problems.add("not deleted, but missing: claim " + each));
    }

    private static void volumeProblem(
            ExpectedState expected, JsonNode volume, Map<String, JsonNode> claimsByUid, List<String> problems) {
        JsonNode claim = claimsByUid.get(volume.at("/spec/claimRef/uid").asText());
        boolean isBound = phase(volume).equals("Bound")
                && claim != null
                && claim.at("/spec/volumeName").asText().equals(name(volume));
        boolean isUnboundVolumeOfUser = expected.volumesOfUser().contains(name(volume))
                && claim == null
                && phase(volume).equals(volume.at("/spec/claimRef").isObject() ? "Released" : "Available");
        if (!isBound && !isUnboundVolumeOfUser) {
            problems.add("volume " + name(volume) + " has no claim: " + volume.at("/spec/claimRef") + " "
                    + volume.path("status")
                    + (volume.at("/metadata/deletionTimestamp").isMissingNode() ? "" : ", being" + " deleted"));
        }
    }

    private void dataProblems(Path base, List<String> problems) {
        Set<String> expectedData = new TreeSet<>();
        Set<String> expectedMarkers = new TreeSet<>();
        for (JsonNode each : volumes) {
            String path = each.at("/spec/hostPath/path").asText();
            String image = each.at("/spec/csi/volumeAttributes/image").asText();
            String location = path.isEmpty() ? image : path;
            if (location.startsWith(base + "/")) {
                expectedData.add(location);
                expectedMarkers.add(uid(each));
            }
        }
        compare("data", data(base), expectedData, problems);
        compare("markers", markers(base), expectedMarkers, problems);
    }

    private static void compare(String what, Set<String> found, Set<String> expected, List<String> problems) {
        Set<String> leaked = new TreeSet<>(found);
        leaked.removeAll(expected);
        Set<String> lost = new TreeSet<>(expected);
        lost.removeAll(found);
        leaked.forEach(each -> problems.add("leaked " + what + ": " + each));
        lost.forEach(each -> problems.add("lost " + what + ": " + each));
    }

    /** Files and empty directories: the volumes of these tests are empty. */
    private static Set<String> data(Path base) {
        Set<String> found = new TreeSet<>();
        for (Path kind : children(base)) {
            walk(kind, found);
        }
        return found;
    }

    private static void walk(Path top, Set<String> found) {
        try {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    if (directory.endsWith(MARKERS)) {
                        return FileVisitResult.SKIP_SUBTREE;
                    }
                    if (!directory.equals(top) && children(directory).isEmpty()) {
                        found.add(directory.toString());
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    found.add(file.toString());
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                    if (e instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE; // being removed just now
                    }
                    throw e;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> markers(Path base) {
        Set<String> found = new TreeSet<>();
        for (Path kind : children(base)) {
            children(kind.resolve(MARKERS))
                    .forEach(each -> found.add(each.getFileName().toString()));
        }
        return found;
    }

    private static List<Path> children(Path directory) {
        try (Stream<Path> children = Files.list(directory)) {
            return children.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }

    private static String uid(JsonNode object) {
        return object.at("/metadata/uid").asText();
    }

    private static String phase(JsonNode object) {
        return object.at("/status/phase").asText();
    }
}
