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

/** A server with an engine whose Pods and claims are watched. For one thread; other threads send parallel requests. */
final class PodStartFixture implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 300;
    private static final int AT_ONCE = 16;

    private final BenchmarkApiClient client;
    private final Clock clock = Clock.systemUTC();
    private final String host;
    private final DockerBaseline engine;
    private final List<AutoCloseable> watches = new ArrayList<>();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(AT_ONCE, work -> RunningLedger.daemon(work, "bench-pods"));
    private final Object lock = new Object();
    private final Map<String, Long> running = new HashMap<>();
    private final Map<String, Long> gone = new HashMap<>();
    private final Map<String, String> containers = new HashMap<>();
    private final Map<String, Long> bound = new HashMap<>();
    private int number;

    /** @param directory parent of the mounted host directory */
    PodStartFixture(ApiServer server, Path directory, DockerBaseline engine) throws Exception {
        this.client = new BenchmarkApiClient(server.access());
        this.host =
                Files.createDirectories(directory.resolve("host")).toRealPath().toString();
        this.engine = engine;
        watches.add(client.watch(PodObjects.PODS, this::onPodEvent));
        watches.add(client.watch(PodObjects.CLAIMS, this::onClaimEvent));
    }

    private void onPodEvent(JsonNode event) {
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

    private void onClaimEvent(JsonNode event) {
        JsonNode claim = event.path("object");
        synchronized (lock) {
            if (claim.at("/status/phase").asText().equals("Bound")) {
                bound.putIfAbsent(claim.at("/metadata/name").asText(), System.nanoTime());
            }
            lock.notifyAll();
        }
    }

    /** Returns the time at which it was seen. */
    private long await(Map<String, Long> seen, String name) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        synchronized (lock) {
            while (!seen.containsKey(name)) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new IllegalStateException(name + " did not reach the expected state in time");
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            return seen.get(name);
        }
    }

    /** Creates claims; returns when they are Bound. */
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

    /** Starts one Pod; returns when it runs. */
    PodStart start(String source) throws IOException, InterruptedException {
        String name = "pod-" + ++number;
        String body = PodObjects.pod(name, source);
        Instant requested = clock.instant();
        long start = System.nanoTime();
        client.create(PodObjects.PODS, body);
        return started(name, requested, start);
    }

    private PodStart started(String name, Instant requested, long start) throws InterruptedException {
        double seen = (await(running, name) - start) / 1e9;
        String id;
        synchronized (lock) {
            id = containers.get(name).replace("docker://", "");
        }
        return new PodStart(name, seen, seconds(requested, engine.startedAt(id)));
    }

    static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e9;
    }

    /** Creates a volume, its claim and a Pod at the same time; returns when the Pod runs. */
    PodStart startTogether() throws IOException, InterruptedException {
        String name = "all-" + ++number;
        Instant requested = clock.instant();
        long start = System.nanoTime();
        atOnce(List.of(
                () -> create(PodObjects.PODS, PodObjects.pod(name, PodObjects.claimed(name))),
                () -> create(PodObjects.CLAIMS, PodObjects.claimOf(name, name)),
                () -> create(PodObjects.VOLUMES, PodObjects.volume(name, host))));
        return started(name, requested, start);
    }

    /**
     * Starts many Pods, each with a claim.
     *
     * @return seconds until the last one runs
     */
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

    /** Deletes a Pod; returns when it is removed. */
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
