package dev.mooring.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.Labels;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.volume.path.MountTable;
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
 * What goes wrong around a server, and in it: its NFS server, its engine, containers, mounts, verticles, its process. Some faults last a
 * while; {@link #endAll} ends those that have not ended yet. One thread.
 */
final class ChaosFaults {
    private static final String CHAOS = "/apis/mooring.dev/v1/chaos";
    private static final Duration BETWEEN_LIVES = Duration.ofSeconds(25);

    /** After each the containers begin anew, later each time. */
    private static final Duration BETWEEN_ENGINES = Duration.ofSeconds(45);

    private final ChaosServer server;
    private final NfsServer nfs;
    private final RealEngine engine;
    private final RealEngineApi containers;
    private final Path pods;
    private final Random chance;
    private final Map<String, Integer> done = new TreeMap<>();
    private final List<Lasting> lasting = new ArrayList<>();
    private final List<CompletableFuture<?>> kills = new ArrayList<>();
    private List<String> verticles = List.of();
    private long nextLife;
    private long nextEngine;
    private CompletableFuture<Void> engineStart = CompletableFuture.completedFuture(null);
    private volatile boolean engineRuns = true;
    private boolean nfsServes = true;

    private record Lasting(long end, Runnable ending) {}

    /** @param pods where their volumes are mounted */
    ChaosFaults(ChaosServer server, NfsServer nfs, RealEngine engine, Path pods, Random chance) {
        this.server = server;
        this.nfs = nfs;
        this.engine = engine;
        this.containers = new RealEngineApi(engine.socket());
        this.pods = pods;
        this.chance = chance;
    }

    void begin() {
        List<String> names = new ArrayList<>();
        server.send("GET", CHAOS, "")
                .body()
                .path("verticles")
                .forEach(each -> names.add(each.path("name").asText()));
        verticles = List.copyOf(names);
        nextEngine = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        nextLife = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    }

    Map<String, Integer> done() {
        return done;
    }

    int ofEngine() {
        return done.getOrDefault("engine killed", 0);
    }

    boolean nfsServes() {
        return nfsServes;
    }

    boolean engineRuns() {
        return engineRuns;
    }

    private String count(String what) {
        done.merge(what, 1, Integer::sum);
        return what;
    }

    private void forSeconds(int least, int most, Runnable ending) {
        long length = Duration.ofMillis(least * 1000L + chance.nextInt((most - least) * 1000))
                .toNanos();
        lasting.add(new Lasting(System.nanoTime() + length, ending));
    }

    /** Ends what has lasted long enough. */
    void endSome() {
        for (Iterator<Lasting> all = lasting.iterator(); all.hasNext(); ) {
            Lasting each = all.next();
            if (System.nanoTime() - each.end() >= 0) {
                all.remove();
                each.ending().run();
            }
        }
    }

    void endAll() throws Exception {
        for (Lasting each : List.copyOf(lasting)) {
            each.ending().run();
        }
        lasting.clear();
        engineStart.get(240, TimeUnit.SECONDS);
        server.send("POST", CHAOS + "/stop", "{}");
        CompletableFuture.allOf(kills.toArray(CompletableFuture[]::new)).get(240, TimeUnit.SECONDS);
    }

    /** Something goes wrong, if it can. Answers what, for people. */
    String strike() {
        return switch (chance.nextInt(12)) {
            case 0 -> killServer();
            case 1 -> failMounts();
            case 2 -> hangServer();
            case 3, 4, 5, 6 -> killVerticle();
            default -> strikeAround();
        };
    }

    /** The same, where the server need not be there to see it. */
    String strikeAround() {
        return switch (chance.nextInt(6)) {
            case 0, 1 -> endNfs();
            case 2 -> killEngine();
            case 3 -> killContainer();
            default -> unmount();
        };
    }

    private String endNfs() {
        if (!nfsServes) {
            return "the NFS server is down already";
        }
        nfsServes = false;
        return switch (chance.nextInt(3)) {
            case 0 -> {
                nfs.stop();
                forSeconds(4, 15, this::wakeNfs);
                yield count("NFS server stopped");
            }
            case 1 -> {
                nfs.unplug();
                forSeconds(4, 25, this::wakeNfs);
                yield count("NFS server unplugged");
            }
            default -> {
                nfs.restart();
                nfsServes = true;
                yield count("NFS server restarted");
            }
        };
    }

    private void wakeNfs() {
        nfs.wake();
        nfsServes = true;
    }

    private String killEngine() {
        if (!engineRuns || System.nanoTime() - nextEngine < 0) {
            return "the engine was killed a moment ago";
        }
        engine.kill();
        engineRuns = false;
        forSeconds(1, 10, () -> {
            // Takes a minute, because it ends what its former life has left; other things go on meanwhile.
            CompletableFuture<Void> starting = CompletableFuture.runAsync(engine::start);
            engineStart = starting.thenRun(() -> engineRuns = true);
            nextEngine = System.nanoTime() + BETWEEN_ENGINES.toNanos();
        });
        return count("engine killed");
    }

    private String killContainer() {
        if (!engineRuns) {
            return "no engine";
        }
        List<JsonNode> running = containers.containers(Labels.INSTANCE).stream()
                .filter(each -> each.path("State").asText().equals("running"))
                .filter(each -> !pod(each).startsWith(ChaosWorkload.CALM))
                .toList();
        if (running.isEmpty()) {
            return "no container";
        }
        JsonNode victim = running.get(chance.nextInt(running.size()));
        String id = victim.path("Id").asText();
        // Takes as long as the kernel needs, which may be until a server is back.
        kills.add(CompletableFuture.runAsync(() -> containers.post("/containers/" + id + "/kill", ""))
                .exceptionally(gone -> null));
        return count(role(victim).equals("sandbox") ? "sandbox killed" : "container killed") + " of " + pod(victim);
    }

    static String pod(JsonNode container) {
        return container.path("Labels").path("dev.mooring.pod.name").asText("");
    }

    static String role(JsonNode container) {
        return container.path("Labels").path("dev.mooring.role").asText("");
    }

    /** Behind Mooring's back. Containers that run keep it; one that begins must not begin without. */
    private String unmount() {
        try {
            List<MountTable.Mount> mounts = MountTable.read().below(pods).stream()
                    .filter(each -> !each.source().contains(ChaosWorkload.CALM))
                    .toList();
            if (mounts.isEmpty()) {
                return "no mount";
            }
            MountTable.Mount victim = mounts.get(chance.nextInt(mounts.size()));
            // Mooring may be about to do the same.
            Shell.here().run("umount -l -i '" + victim.point() + "' || true");
            String what = count("volume unmounted");
            return what + ' ' + victim.point() + (chance.nextInt(2) == 0 ? "; " + killContainer() : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String killServer() {
        if (System.nanoTime() - nextLife < 0) {
            return "the server was killed a moment ago";
        }
        server.killAndLaunch();
        nextLife = System.nanoTime() + BETWEEN_LIVES.toNanos();
        return count("server killed");
    }

    private String failMounts() {
        return act("fail-next-mounts", "{\"count\":" + (1 + chance.nextInt(3)) + ",\"forSeconds\":20}");
    }

    private String hangServer() {
        int seconds = 3 + chance.nextInt(12);
        return act("hang-server", "{\"server\":\"" + nfs.address() + "\",\"forSeconds\":" + seconds + '}');
    }

    private String killVerticle() {
        String victim = verticles.get(chance.nextInt(verticles.size()));
        return act("kill", "{\"verticle\":\"" + victim + "\"}") + ' ' + victim;
    }

    private String act(String action, String body) {
        ChaosServer.Reply reply = server.send("POST", CHAOS + '/' + action, body);
        if (reply.code() == 409) {
            return "it is down already:";
        }
        if (reply.code() != 200) {
            throw new AssertionError("Expected " + action + ' ' + body + " to be done, but " + reply.text());
        }
        return count("chaos " + action);
    }
}
