package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * What users have on a server that is tormented: places, each with a claim and a Pod that writes tokens to it; either may come and go. One of
 * them, {@link #CALM}, has its volume on a server that nothing is done to, and is left alone. One thread.
 */
final class ChaosWorkload {
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    static final String CALM = "calm";

    private static final Path LISTS = Path.of("/mnt/lists");
    private static final Path HOST = Path.of("/mnt/host");

    /** One that has no claim but a directory of the machine. */
    private static final String NO_CLASS = "";

    /** Where a Pod writes; the names of what is there now. */
    private static final class Place {
        private final String name;
        private final String storageClass;
        private Optional<String> claim = Optional.empty();
        private Optional<String> pod = Optional.empty();

        private Place(String name, String storageClass) {
            this.name = name;
            this.storageClass = storageClass;
        }

        private String volume() {
            return claim.map(ChaosYaml::onClaim).orElseGet(() -> ChaosYaml.onHost(HOST.resolve(name)));
        }

        /** What was written to the volume that it has now. */
        private Path list() {
            return LISTS.resolve("on-" + claim.orElse(name));
        }
    }

    private final ChaosServer server;
    private final Random chance;
    private final List<Place> places = new ArrayList<>();
    private final Map<String, Integer> done = new TreeMap<>();
    private int made;

    ChaosWorkload(ChaosServer server, Random chance) {
        this.server = server;
        this.chance = chance;
        places.add(new Place(CALM, CALM));
        places.add(new Place("nfs-a", "nfs"));
        places.add(new Place("nfs-b", "nfs"));
        places.add(new Place("block-a", "block"));
        places.add(new Place("block-b", "block"));
        places.add(new Place("host", NO_CLASS));
    }

    void begin() throws IOException {
        Files.createDirectories(LISTS);
        Files.createDirectories(HOST);
        for (Place each : places) {
            makeClaim(each);
            makePod(each);
        }
    }

    private void count(String what) {
        done.merge(what, 1, Integer::sum);
    }

    /** How often what was done. */
    Map<String, Integer> done() {
        return done;
    }

    private void makeClaim(Place place) {
        if (!place.storageClass.equals(NO_CLASS)) {
            String name = place.name + "-c" + made++;
            server.make(CLAIMS, ChaosYaml.claim(name, place.storageClass));
            place.claim = Optional.of(name);
            count("claims made");
        }
    }

    private void makePod(Place place) {
        String name = place.name + "-p" + made++;
        server.make(PODS, ChaosYaml.writer(name, place.volume(), place.list()));
        place.pod = Optional.of(name);
        count("Pods made");
    }

    private void deletePod(Place place) {
        place.pod.ifPresent(name -> {
            server.delete(PODS + '/' + name);
            count("Pods deleted");
        });
        place.pod = Optional.empty();
    }

    private void deleteClaim(Place place) {
        place.claim.ifPresent(name -> {
            server.delete(CLAIMS + '/' + name);
            count("claims deleted");
        });
        place.claim = Optional.empty();
    }

    /** A user does something. Answers what, for people. */
    String change() {
        Place place = places.get(1 + chance.nextInt(places.size() - 1));
        if (place.pod.isEmpty()) {
            makePod(place);
            return "make " + place.pod.orElseThrow();
        }
        String pod = place.pod.orElseThrow();
        deletePod(place);
        if (chance.nextInt(3) == 0) {
            deleteClaim(place);
            makeClaim(place);
            makePod(place);
            return "delete " + pod + " and its claim, make " + place.pod.orElseThrow();
        }
        if (chance.nextInt(2) == 0) {
            makePod(place);
            return "delete " + pod + ", make " + place.pod.orElseThrow() + " on the same volume";
        }
        return "delete " + pod;
    }

    /** Everything that may run is to run. */
    void complete() {
        for (Place each : places) {
            if (each.pod.isEmpty()) {
                makePod(each);
            }
        }
    }

    private List<String> names() {
        return places.stream().flatMap(each -> each.pod.stream()).toList();
    }

    /** Which Pods are not as their user wants them: all that are wanted run, and no others are there. */
    List<String> unwell() {
        Map<String, JsonNode> there = new LinkedHashMap<>();
        server.list(PODS).forEach(each -> there.put(each.at("/metadata/name").asText(), each));
        List<String> unwell = new ArrayList<>();
        for (String name : names()) {
            JsonNode pod = there.remove(name);
            if (pod == null) {
                unwell.add(name + " is not there");
            } else if (!pod.at("/status/containerStatuses/0/ready").asBoolean()
                    || !pod.at("/status/containerStatuses/0/state").has("running")) {
                unwell.add(name + " does not run: " + pod.path("status"));
            }
        }
        there.forEach((name, pod) -> unwell.add(name + " is still there: " + pod.path("status")));
        return unwell;
    }

    /** How many tokens each Pod has written. */
    Map<String, Integer> written() {
        Map<String, Integer> written = new TreeMap<>();
        names().forEach(each ->
                written.put(each, lines(LISTS.resolve("done-" + each)).size()));
        return written;
    }

    /** Which Pods have written nothing since. */
    List<String> standingStill(Map<String, Integer> before) {
        Map<String, Integer> now = written();
        return before.keySet().stream()
                .filter(each -> now.get(each) <= before.get(each))
                .toList();
    }

    int writtenByCalm() {
        return lines(LISTS.resolve("done-" + places.get(0).pod.orElseThrow())).size();
    }

    int startsOfCalm() {
        return (int) lines(LISTS.resolve("starts")).stream()
                .filter(each -> each.equals(places.get(0).pod.orElseThrow()))
                .count();
    }

    int tokens() {
        return places.stream().mapToInt(each -> lines(each.list()).size()).sum();
    }

    /** What containers have noticed that must not be. */
    static List<String> violations() {
        return lines(LISTS.resolve("violations"));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file, StandardCharsets.UTF_8) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void deletePods() {
        places.forEach(this::deletePod);
    }

    /** Reads all volumes with new Pods. Answers which tokens are missing. */
    List<String> lost() {
        for (Place each : places) {
            each.pod = Optional.of(each.name + "-reader");
            server.make(PODS, ChaosYaml.reader(each.pod.orElseThrow(), each.volume()));
        }
        List<String> lost = new ArrayList<>();
        for (Place each : places) {
            String reader = each.pod.orElseThrow();
            lost.addAll(Pause.untilNothing(RealChaosTest.PATIENCE, () -> notSucceeded(reader)));
            String read = server.send("GET", PODS + '/' + reader + "/log", "").text();
            List<String> there = read.lines().toList();
            lines(each.list()).stream()
                    .filter(token -> !there.contains(token))
                    .forEach(token -> lost.add(token + " on the volume of " + each.name));
        }
        return lost;
    }

    private List<String> notSucceeded(String pod) {
        JsonNode status = server.send("GET", PODS + '/' + pod, "").body().path("status");
        return status.path("phase").asText("").equals("Succeeded") ? List.of() : List.of(pod + ' ' + status);
    }

    void deleteClaims() {
        places.forEach(this::deleteClaim);
    }
}
