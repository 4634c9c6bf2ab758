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
 * What there is of claims, volumes, work and data at one moment, against what there must be once everything has come to rest.
 *
 * @param claims all there are
 * @param volumes all there are
 * @param operations all there are
 * @param pods all there are, each of which must have a node
 */
record StorageKillState(List<JsonNode> claims, List<JsonNode> volumes, List<JsonNode> operations, List<JsonNode> pods) {
    private static final String MARKERS = ".mooring";

    /**
     * What must be there in the end.
     *
     * @param kept the names of the claims that nobody has deleted
     * @param handMade the names of the volumes that users have made
     * @param base where the data of all other volumes lies
     */
    record Wanted(Set<String> kept, Set<String> handMade, Path base) {}

    /** All that is not as it must be. */
    List<String> problems(Wanted wanted) {
        List<String> problems = new ArrayList<>();
        operations.forEach(each -> problems.add("left over: " + name(each) + " " + each.path("status")));
        pods.stream()
                .filter(each -> each.at("/spec/nodeName").asText().isEmpty())
                .forEach(each -> problems.add("Pod " + name(each) + " has no node: " + each.path("status")));
        Map<String, JsonNode> claimsByUid = new HashMap<>();
        claims.forEach(each -> claimsByUid.put(uid(each), each));
        Map<String, JsonNode> volumesByName = new HashMap<>();
        volumes.forEach(each -> volumesByName.put(name(each), each));
        claimProblems(wanted, volumesByName, problems);
        for (JsonNode each : volumes) {
            volumeProblem(wanted, each, claimsByUid, problems);
        }
        wanted.handMade().stream()
                .filter(each -> !volumesByName.containsKey(each))
                .forEach(each -> problems.add("a user's volume is gone: " + each));
        if (problems.isEmpty()) {
            dataProblems(wanted.base(), problems);
        }
        return problems;
    }

    private void claimProblems(Wanted wanted, Map<String, JsonNode> volumesByName, List<String> problems) {
        Set<String> missing = new TreeSet<>(wanted.kept());
        for (JsonNode each : claims) {
            if (!missing.remove(name(each))) {
                problems.add("deleted, but still there: claim " + name(each) + " " + each.path("status"));
                continue;
            }
            String volume = each.at("/spec/volumeName").asText();
            JsonNode bound = volumesByName.get(volume);
            if (!phase(each).equals("Bound")) {
                problems.add("claim " + name(each) + " is not Bound: " + each.path("status"));
            } else if (bound == null) {
                problems.add("claim " + name(each) + " is Bound to a missing volume " + volume);
            } else if (!bound.at("/spec/claimRef/uid").asText().equals(uid(each))) {
                problems.add("claim " + name(each) + " is Bound to another's volume " + bound.path("spec"));
            } else if (!each.at("/status/volumeName").asText().equals(volume)) {
                problems.add("claim " + name(each) + " has the status of another volume: " + each.path("status"));
            }
        }
        missing.forEach(each -> problems.add("never deleted, but gone: claim " + each));
    }

    private static void volumeProblem(
            Wanted wanted, JsonNode volume, Map<String, JsonNode> claimsByUid, List<String> problems) {
        JsonNode claim = claimsByUid.get(volume.at("/spec/claimRef/uid").asText());
        boolean isBound = phase(volume).equals("Bound")
                && claim != null
                && claim.at("/spec/volumeName").asText().equals(name(volume));
        boolean isLeftToItsUser = wanted.handMade().contains(name(volume))
                && claim == null
                && phase(volume).equals(volume.at("/spec/claimRef").isObject() ? "Released" : "Available");
        if (!isBound && !isLeftToItsUser) {
            problems.add("volume " + name(volume) + " has no claim: " + volume.at("/spec/claimRef") + " "
                    + volume.path("status")
                    + (volume.at("/metadata/deletionTimestamp").isMissingNode() ? "" : ", being" + " deleted"));
        }
    }

    private void dataProblems(Path base, List<String> problems) {
        Set<String> wantedData = new TreeSet<>();
        Set<String> wantedMarkers = new TreeSet<>();
        for (JsonNode each : volumes) {
            String path = each.at("/spec/hostPath/path").asText();
            String image = each.at("/spec/csi/volumeAttributes/image").asText();
            String place = path.isEmpty() ? image : path;
            if (place.startsWith(base + "/")) {
                wantedData.add(place);
                wantedMarkers.add(uid(each));
            }
        }
        compare("data", data(base), wantedData, problems);
        compare("markers", markers(base), wantedMarkers, problems);
    }

    private static void compare(String what, Set<String> found, Set<String> wanted, List<String> problems) {
        Set<String> leaked = new TreeSet<>(found);
        leaked.removeAll(wanted);
        Set<String> lost = new TreeSet<>(wanted);
        lost.removeAll(found);
        leaked.forEach(each -> problems.add("leaked " + what + ": " + each));
        lost.forEach(each -> problems.add("lost " + what + ": " + each));
    }

    /** Files and empty directories: these volumes have nothing in them. */
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
