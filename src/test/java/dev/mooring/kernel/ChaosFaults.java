package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Injects faults into a server and its environment: NFS server, engine, containers, mounts, verticles, process. Some
 * faults last a while; {@link #endAll} ends those that are still active. One thread.
 */
final class ChaosFaults {
    private static final String CHAOS = "/apis/mooring.dev/v1/chaos";
    private static final Duration SERVER_KILL_INTERVAL = Duration.ofSeconds(25);

    /** Minimum interval: containers restart after each kill, with growing delays. */
    private static final Duration ENGINE_KILL_INTERVAL = Duration.ofSeconds(45);

    private final ChaosServer server;
    private final KernelNfsServer nfs;
    private final RealEngine engine;
    private final RealEngineApi containers;
    private final Path pods;
    private final Random random;
    private final Map<String, Integer> done = new TreeMap<>();
    private final List<ActiveFault> activeFaults = new ArrayList<>();
    private final List<CompletableFuture<?>> kills = new ArrayList<>();
    private List<String> verticles = List.of();
    private long nextServerKill;
    private long nextEngineKill;
    private CompletableFuture<Void> engineStart = CompletableFuture.completedFuture(null);
    private volatile boolean engineRuns = true;
    private boolean nfsServes = true;

    private record ActiveFault(long end, Runnable ending) {}

    /** @param pods the directory below which the volumes of Pods are mounted */
    ChaosFaults(ChaosServer server, KernelNfsServer nfs, RealEngine engine, Path pods, Random random) {
        this.server = server;
        this.nfs = nfs;
        this.engine = engine;
        this.containers = new RealEngineApi(engine.socket());
        this.pods = pods;
        this.random = random;
    }

    void start() {
        List<String> names = new ArrayList<>();
        server.send("GET", CHAOS, "")
                .body()
                .path("verticles")
                .forEach(each -> names.add(each.path("name").asText()));
        verticles = List.copyOf(names);
        nextEngineKill = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        nextServerKill = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    }

    Map<String, Integer> done() {
        return done;
    }

    int engineKills() {
        return done.getOrDefault("engine killed", 0);
    }

    boolean nfsServes() {
        return nfsServes;
    }

    boolean engineRuns() {
        return engineRuns;
    }

    private String count(String description) {
        done.merge(description, 1, Integer::sum);
        return description;
    }

    private void forSeconds(int min, int max, Runnable ending) {
        long length = Duration.ofMillis(min * 1000L + random.nextInt((max - min) * 1000))
                .toNanos();
        activeFaults.add(new ActiveFault(System.nanoTime() + length, ending));
    }

    /** Ends the faults whose time is over. */
    void endExpired() {
        for (Iterator<ActiveFault> all = activeFaults.iterator(); all.hasNext(); ) {
            ActiveFault each = all.next();
            if (System.nanoTime() - each.end() >= 0) {
                all.remove();
                each.ending().run();
            }
        }
    }

    void endAll() throws Exception {
        for (ActiveFault each : List.copyOf(activeFaults)) {
            each.ending().run();
        }
        activeFaults.clear();
        engineStart.get(240, TimeUnit.SECONDS);
        server.send("POST", CHAOS + "/stop", "{}");
        CompletableFuture.allOf(kills.toArray(CompletableFuture[]::new)).get(240, TimeUnit.SECONDS);
    }

    /** Injects a random fault, if possible; returns a description. */
    String injectFault() {
        return switch (random.nextInt(12)) {
            case 0 -> killServer();
            case 1 -> failMounts();
            case 2 -> hangServer();
            case 3, 4, 5, 6 -> killVerticle();
            default -> injectExternalFault();
        };
    }

    /** Injects a random fault that does not need a running server; returns a description. */
    String injectExternalFault() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> endNfs();
            case 2 -> killEngine();
            case 3 -> killContainer();
            default -> unmount();
        };
    }

    private String endNfs() {
        if (!nfsServes) {
            return "skipped: the NFS server is already down";
        }
        nfsServes = false;
        return switch (random.nextInt(3)) {
            case 0 -> {
                nfs.stop();
                forSeconds(4, 15, this::restoreNfs);
                yield count("NFS server stopped");
            }
            case 1 -> {
                nfs.unplug();
                forSeconds(4, 25, this::restoreNfs);
                yield count("NFS server unplugged");
            }
            default -> {
                nfs.restart();
                nfsServes = true;
                yield count("NFS server restarted");
            }
        };
    }

    private void restoreNfs() {
        nfs.restore();
        nfsServes = true;
    }

    private String killEngine() {
        if (!engineRuns || System.nanoTime() - nextEngineKill < 0) {
            return "skipped: the engine was killed recently";
        }
        engine.kill();
        engineRuns = false;
        forSeconds(1, 10, () -> {
            // Asynchronous, because it takes a minute to end what the killed engine left.
            CompletableFuture<Void> starting = CompletableFuture.runAsync(engine::start);
            engineStart = starting.thenRun(() -> engineRuns = true);
            nextEngineKill = System.nanoTime() + ENGINE_KILL_INTERVAL.toNanos();
        });
        return count("engine killed");
    }

    private String killContainer() {
        if (!engineRuns) {
            return "skipped: the engine is down";
        }
        List<JsonNode> running = containers.containers(ContainerLabels.INSTANCE).stream()
                .filter(each -> each.path("State").asText().equals("running"))
                .filter(each -> !pod(each).startsWith(ChaosWorkload.HEALTHY))
                .toList();
        if (running.isEmpty()) {
            return "skipped: no container is running";
        }
        JsonNode target = running.get(random.nextInt(running.size()));
        String id = target.path("Id").asText();
        // Asynchronous, because the kernel may end the process only when its NFS server is back.
        kills.add(CompletableFuture.runAsync(() -> containers.post("/containers/" + id + "/kill", ""))
                .exceptionally(failure -> null));
        return count(role(target).equals("sandbox") ? "sandbox killed" : "container killed") + " of " + pod(target);
    }

    static String pod(JsonNode container) {
        return container.path("Labels").path("dev.mooring.pod.name").asText("");
    }

    static String role(JsonNode container) {
        return container.path("Labels").path("dev.mooring.role").asText("");
    }

    /** Unmounts a volume without Mooring. Running containers keep it; a new container must not start without it. */
    private String unmount() {
        try {
            List<MountTable.Mount> mounts = MountTable.read().below(pods).stream()
                    .filter(each -> !each.source().contains(ChaosWorkload.HEALTHY))
                    .toList();
            if (mounts.isEmpty()) {
                return "skipped: no volume is mounted";
            }
            MountTable.Mount target = mounts.get(random.nextInt(mounts.size()));
            // Mooring may unmount it at the same time.
            Shell.local().run("umount -l -i '" + target.point() + "' || true");
            String description = count("volume unmounted");
            return description + ' ' + target.point() + (random.nextInt(2) == 0 ? "; " + killContainer() : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String killServer() {
        if (System.nanoTime() - nextServerKill < 0) {
            return "skipped: the server was killed recently";
        }
        server.killAndLaunch();
        nextServerKill = System.nanoTime() + SERVER_KILL_INTERVAL.toNanos();
        return count("server killed");
    }

    private String failMounts() {
        return sendAction("fail-next-mounts", "{\"count\":" + (1 + random.nextInt(3)) + ",\"forSeconds\":20}");
    }

    private String hangServer() {
        int seconds = 3 + random.nextInt(12);
        return sendAction("hang-server", "{\"server\":\"" + nfs.address() + "\",\"forSeconds\":" + seconds + '}');
    }

    private String killVerticle() {
        String target = verticles.get(random.nextInt(verticles.size()));
        return sendAction("kill", "{\"verticle\":\"" + target + "\"}") + ' ' + target;
    }

    private String sendAction(String action, String body) {
        ChaosServer.ServerResponse reply = server.send("POST", CHAOS + '/' + action, body);
        if (reply.code() == 409) {
            return "skipped: already down:";
        }
        if (reply.code() != 200) {
            throw new AssertionError("Action " + action + ' ' + body + " failed: " + reply.text());
        }
        return count("chaos " + action);
    }
}
