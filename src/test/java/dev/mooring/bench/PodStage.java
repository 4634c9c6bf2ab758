package dev.mooring.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A server with an engine whose Pods and claims are watched. For one thread; what is to be done at once is done by others. */
final class PodStage implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 300;
    private static final int AT_ONCE = 16;

    private final VolumeClient client;
    private final Clock clock = Clock.systemUTC();
    private final String host;
    private final PodYardsticks engine;
    private final List<AutoCloseable> watches = new ArrayList<>();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(AT_ONCE, work -> RunningLedger.daemon(work, "bench-pods"));
    private final Object lock = new Object();
    private final Map<String, Long> running = new HashMap<>();
    private final Map<String, Long> gone = new HashMap<>();
    private final Map<String, String> containers = new HashMap<>();
    private final Map<String, Long> bound = new HashMap<>();
    private int number;

    /** @param directory for a directory of the machine */
    PodStage(ApiServer server, Path directory, PodYardsticks engine) throws Exception {
        this.client = new VolumeClient(server.access());
        this.host =
                Files.createDirectories(directory.resolve("host")).toRealPath().toString();
        this.engine = engine;
        watches.add(client.watch(PodObjects.PODS, this::takePod));
        watches.add(client.watch(PodObjects.CLAIMS, this::takeClaim));
    }

    private void takePod(JsonNode event) {
        long now = System.nanoTime();
        JsonNode pod = event.path("object");
        String name = pod.at("/metadata/name").asText();
        synchronized (lock) {
            if (event.path("type").asText().equals("DELETED")) {
                gone.putIfAbsent(name, now);
            } else if (pod.at("/status/phase").asText().equals("Running")) {
                running.putIfAbsent(name, now);
                containers.put(
                        name, pod.at("/status/containerStatuses/0/containerID").asText());
            }
            lock.notifyAll();
        }
    }

    private void takeClaim(JsonNode event) {
        JsonNode claim = event.path("object");
        synchronized (lock) {
            if (claim.at("/status/phase").asText().equals("Bound")) {
                bound.putIfAbsent(claim.at("/metadata/name").asText(), System.nanoTime());
            }
            lock.notifyAll();
        }
    }

    /** When it was seen. */
    private long await(Map<String, Long> seen, String name) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        synchronized (lock) {
            while (!seen.containsKey(name)) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new IllegalStateException("Expected " + name + " to come so far, but it did not");
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            return seen.get(name);
        }
    }

    /** Claims that are Bound when this returns. */
    List<String> claims(int count) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "claim-" + ++number;
            names.add(name);
            client.create(PodObjects.CLAIMS, PodObjects.claim(name));
        }
        for (String each : names) {
            await(bound, each);
        }
        return names;
    }

    /** One Pod, until it runs. */
    PodStart start(String source) throws IOException, InterruptedException {
        String name = "pod-" + ++number;
        String body = PodObjects.pod(name, source);
        Instant begun = clock.instant();
        long start = System.nanoTime();
        client.create(PodObjects.PODS, body);
        return started(name, begun, start);
    }

    private PodStart started(String name, Instant begun, long start) throws InterruptedException {
        double seen = (await(running, name) - start) / 1e9;
        String id;
        synchronized (lock) {
            id = containers.get(name).replace("docker://", "");
        }
        return new PodStart(name, seen, seconds(begun, engine.startedAt(id)));
    }

    static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e9;
    }

    /** A volume, a claim for it and a Pod with that, sent in the same instant. */
    PodStart startTogether() throws IOException, InterruptedException {
        String name = "all-" + ++number;
        Instant begun = clock.instant();
        long start = System.nanoTime();
        atOnce(List.of(
                () -> create(PodObjects.PODS, PodObjects.pod(name, PodObjects.claimed(name))),
                () -> create(PodObjects.CLAIMS, PodObjects.claimOf(name, name)),
                () -> create(PodObjects.VOLUMES, PodObjects.volume(name, host))));
        return started(name, begun, start);
    }

    /** Many, each with a claim; how long it takes until the last one runs. */
    double startAll(List<String> pods, List<String> claims) throws IOException, InterruptedException {
        List<Callable<Void>> creations = new ArrayList<>();
        for (int i = 0; i < pods.size(); i++) {
            String body = PodObjects.pod(pods.get(i), PodObjects.claimed(claims.get(i)));
            creations.add(() -> create(PodObjects.PODS, body));
        }
        long start = System.nanoTime();
        atOnce(creations);
        return (last(running, pods) - start) / 1e9;
    }

    List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add("many-" + ++number);
        }
        return names;
    }

    private long last(Map<String, Long> seen, List<String> names) throws InterruptedException {
        long last = Long.MIN_VALUE;
        for (String each : names) {
            last = Math.max(last, await(seen, each));
        }
        return last;
    }

    /** Deletes one, and waits until it is gone. */
    double delete(PodStart pod) throws IOException, InterruptedException {
        double took = deleteAll(List.of(pod.name()));
        if (pod.name().startsWith("all-")) {
            client.delete(PodObjects.CLAIMS + '/' + pod.name());
            client.delete(PodObjects.VOLUMES + '/' + pod.name());
        }
        return took;
    }

    double deleteAll(List<String> names) throws IOException, InterruptedException {
        List<Callable<Void>> deletions = new ArrayList<>();
        for (String each : names) {
            deletions.add(() -> {
                client.delete(PodObjects.PODS + '/' + each);
                return null;
            });
        }
        long start = System.nanoTime();
        atOnce(deletions);
        return (last(gone, names) - start) / 1e9;
    }

    private Void create(String path, String body) throws IOException, InterruptedException {
        client.create(path, body);
        return null;
    }

    private void atOnce(List<Callable<Void>> tasks) throws IOException, InterruptedException {
        for (Future<Void> each : threads.invokeAll(tasks)) {
            try {
                each.get();
            } catch (ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : watches) {
            each.close();
        }
        threads.shutdownNow();
    }
}
