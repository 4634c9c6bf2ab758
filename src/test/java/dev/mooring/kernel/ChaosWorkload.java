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
 * Workload of a server under faults: slots, each with a claim and a Pod that writes tokens to it; both may be deleted
 * and recreated. The slot {@link #HEALTHY} has its volume on an NFS server without faults and is never changed. One
 * thread.
 */
final class ChaosWorkload {
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    static final String HEALTHY = "healthy";

    private static final Path LISTS = Path.of("/mnt/lists");
    private static final Path HOST = Path.of("/mnt/host");

    /** Storage class of a slot that uses a hostPath instead of a claim. */
    private static final String NO_CLASS = "";

    /** A slot with the names of its current claim and Pod. */
    private static final class WorkloadSlot {
        private final String name;
        private final String storageClass;
        private Optional<String> claim = Optional.empty();
        private Optional<String> pod = Optional.empty();

        private WorkloadSlot(String name, String storageClass) {
            this.name = name;
            this.storageClass = storageClass;
        }

        private String volume() {
            return claim.map(ChaosYaml::onClaim).orElseGet(() -> ChaosYaml.onHost(HOST.resolve(name)));
        }

        /** Returns the file that lists the tokens written to the current volume. */
        private Path list() {
            return LISTS.resolve("on-" + claim.orElse(name));
        }
    }

    private final ChaosServer server;
    private final Random random;
    private final List<WorkloadSlot> slots = new ArrayList<>();
    private final Map<String, Integer> done = new TreeMap<>();
    private int created;

    ChaosWorkload(ChaosServer server, Random random) {
        this.server = server;
        this.random = random;
        slots.add(new WorkloadSlot(HEALTHY, HEALTHY));
        slots.add(new WorkloadSlot("nfs-a", "nfs"));
        slots.add(new WorkloadSlot("nfs-b", "nfs"));
        slots.add(new WorkloadSlot("block-a", "block"));
        slots.add(new WorkloadSlot("block-b", "block"));
        slots.add(new WorkloadSlot("host", NO_CLASS));
    }

    void start() throws IOException {
        Files.createDirectories(LISTS);
        Files.createDirectories(HOST);
        for (WorkloadSlot each : slots) {
            createClaim(each);
            createPod(each);
        }
    }

    private void count(String what) {
        done.merge(what, 1, Integer::sum);
    }

    /** Returns the number of changes by kind. */
    Map<String, Integer> done() {
        return done;
    }

    private void createClaim(WorkloadSlot slot) {
        if (!slot.storageClass.equals(NO_CLASS)) {
            String name = slot.name + "-c" + created++;
            server.create(CLAIMS, ChaosYaml.claim(name, slot.storageClass));
            slot.claim = Optional.of(name);
            count("claims created");
        }
    }

    private void createPod(WorkloadSlot slot) {
        String name = slot.name + "-p" + created++;
        server.create(PODS, ChaosYaml.writer(name, slot.volume(), slot.list()));
        slot.pod = Optional.of(name);
        count("Pods created");
    }

    private void deletePod(WorkloadSlot slot) {
        slot.pod.ifPresent(name -> {
            server.delete(PODS + '/' + name);
            count("Pods deleted");
        });
        slot.pod = Optional.empty();
    }

    private void deleteClaim(WorkloadSlot slot) {
        slot.claim.ifPresent(name -> {
            server.delete(CLAIMS + '/' + name);
            count("claims deleted");
        });
        slot.claim = Optional.empty();
    }

    /** Makes a random change as a user; returns a description. */
    String change() {
        WorkloadSlot slot = slots.get(1 + random.nextInt(slots.size() - 1));
        if (slot.pod.isEmpty()) {
            createPod(slot);
            return "create " + slot.pod.orElseThrow();
        }
        String pod = slot.pod.orElseThrow();
        deletePod(slot);
        if (random.nextInt(3) == 0) {
            deleteClaim(slot);
            createClaim(slot);
            createPod(slot);
            return "delete " + pod + " and its claim, create " + slot.pod.orElseThrow();
        }
        if (random.nextInt(2) == 0) {
            createPod(slot);
            return "delete " + pod + ", create " + slot.pod.orElseThrow() + " on the same volume";
        }
        return "delete " + pod;
    }

    /** Creates the missing Pods. */
    void complete() {
        for (WorkloadSlot each : slots) {
            if (each.pod.isEmpty()) {
                createPod(each);
            }
        }
    }

    private List<String> names() {
        return slots.stream().flatMap(each -> each.pod.stream()).toList();
    }

    /** Returns the deviations from the desired state: Pods that do not run, and Pods that should not exist. */
    List<String> deviations() {
        Map<String, JsonNode> existing = new LinkedHashMap<>();
        server.list(PODS).forEach(each -> existing.put(each.at("/metadata/name").asText(), each));
        List<String> deviations = new ArrayList<>();
        for (String name : names()) {
            JsonNode pod = existing.remove(name);
            if (pod == null) {
                deviations.add(name + " does not exist");
            } else if (!pod.at("/status/containerStatuses/0/ready").asBoolean()
                    || !pod.at("/status/containerStatuses/0/state").has("running")) {
                deviations.add(name + " is not running: " + pod.path("status"));
            }
        }
        existing.forEach((name, pod) -> deviations.add(name + " still exists: " + pod.path("status")));
        return deviations;
    }

    /** Returns the number of tokens that each Pod has written. */
    Map<String, Integer> written() {
        Map<String, Integer> written = new TreeMap<>();
        names().forEach(each ->
                written.put(each, lines(LISTS.resolve("done-" + each)).size()));
        return written;
    }

    /** Returns the Pods that have written nothing since. */
    List<String> withoutProgress(Map<String, Integer> before) {
        Map<String, Integer> now = written();
        return before.keySet().stream()
                .filter(each -> now.get(each) <= before.get(each))
                .toList();
    }

    int writtenByHealthy() {
        return lines(LISTS.resolve("done-" + slots.get(0).pod.orElseThrow())).size();
    }

    int startsOfHealthy() {
        return (int) lines(LISTS.resolve("starts")).stream()
                .filter(each -> each.equals(slots.get(0).pod.orElseThrow()))
                .count();
    }

    int tokens() {
        return slots.stream().mapToInt(each -> lines(each.list()).size()).sum();
    }

    /** Returns the invariant violations that containers detected. */
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
        slots.forEach(this::deletePod);
    }

    /** Reads all volumes with new Pods; returns the missing tokens. */
    List<String> missingTokens() {
        for (WorkloadSlot each : slots) {
            each.pod = Optional.of(each.name + "-reader");
            server.create(PODS, ChaosYaml.reader(each.pod.orElseThrow(), each.volume()));
        }
        List<String> lost = new ArrayList<>();
        for (WorkloadSlot each : slots) {
            String reader = each.pod.orElseThrow();
            lost.addAll(Polling.untilEmpty(RealChaosTest.TIMEOUT, () -> notSucceeded(reader)));
            String read = server.send("GET", PODS + '/' + reader + "/log", "").text();
            List<String> existing = read.lines().toList();
            lines(each.list()).stream()
                    .filter(token -> !existing.contains(token))
                    .forEach(token -> lost.add(token + " on the volume of " + each.name));
        }
        return lost;
    }

    private List<String> notSucceeded(String pod) {
        JsonNode status = server.send("GET", PODS + '/' + pod, "").body().path("status");
        return status.path("phase").asText("").equals("Succeeded") ? List.of() : List.of(pod + ' ' + status);
    }

    void deleteClaims() {
        slots.forEach(this::deleteClaim);
    }
}
