package dev.mooring.node.health;

import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerHealth;
import dev.mooring.volume.nfs.ServerHealth.State;
import dev.mooring.volume.nfs.ServerListener;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does about NFS servers that come and go: tells, as Events of the Node, when one is given up and when it is back; has its volumes say at
 * once that it is given up; knocks at its door even if no volume is due; and when it is back has everything tried and looked at that waited for it.
 * Knows only what it is told, in the order of its telling. Thread-safe; never blocks.
 */
public final class ServerWatch implements ServerListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatch.class);

    /** Between two knocks, whatever the servers say. */
    private static final Duration SHORTEST = Duration.ofSeconds(5);

    private final String node;
    private final Knocker knocker;
    private final ServerVolumes volumes;
    private final Prober prober;
    private final NfsServers servers;
    private final WorkParts parts;
    private final HealthEdits edits;
    private final HealthTeller teller;
    private final DurableWriter writer;
    private final Scheduler.Worker turn;

    /** Servers that were given up, and since when they have not answered. Only in {@link #turn}. */
    private final Map<String, Instant> down = new HashMap<>();

    private final Map<String, Disposable> knocks = new HashMap<>();

    /** Asks a server whether it is back; what comes of it, the servers tell. Blocks for some seconds. */
    @FunctionalInterface
    public interface Knocker {
        void knock(VolumeSpec volume) throws InterruptedException;
    }

    /** Is to be told by {@code servers}. */
    public ServerWatch(
            String node, NfsServers servers, Knocker knocker, ServerVolumes volumes, Prober prober, WorkParts parts) {
        this.node = node;
        this.servers = servers;
        this.knocker = knocker;
        this.volumes = volumes;
        this.prober = prober;
        this.parts = parts;
        String actor = "node/" + node;
        this.edits = new HealthEdits(actor);
        this.teller = new HealthTeller(actor, parts);
        this.writer = new DurableWriter(parts.world(), parts.timers());
        this.turn = parts.timers().createWorker();
    }

    @Override
    public void changed(ServerHealth now) {
        turn.schedule(() -> follow(now));
    }

    /** The servers that volumes here are of, and whether they answer. */
    public Map<String, Boolean> up() {
        Map<String, Boolean> up = new LinkedHashMap<>();
        volumes.servers().forEach(each -> up.put(each, servers.health(each).state() == State.CLOSED));
        return up;
    }

    private void follow(ServerHealth now) {
        switch (now.state()) {
            case OPEN -> {
                if (down.putIfAbsent(
                                now.server(), now.since().orElse(parts.clock().instant()))
                        == null) {
                    teller.node(node, Notice.Type.WARNING, "NFSServerUnreachable", givenUp(now));
                    volumesOf(now.server()).forEach(prober::request);
                }
                knockLater(now);
            }
            case CLOSED -> {
                stopKnocking(now.server());
                Instant since = down.remove(now.server());
                if (since != null) {
                    back(now.server(), since);
                }
            }
            case HALF_OPEN -> {
                // Somebody is asking it; what comes of that is told next.
            }
        }
    }

    private List<ActualVolume> volumesOf(String server) {
        World world = parts.world().world();
        return volumes.of(server).stream()
                .flatMap(each -> world.get(each).stream())
                .map(ActualVolume::of)
                .toList();
    }

    private static String givenUp(ServerHealth now) {
        return "NFS server " + now.server() + " has not answered since "
                + now.since().orElseThrow() + " ("
                + now.failures() + " times; the last time: " + now.lastError()
                + "). Its volumes wait; it is asked again at "
                + now.nextProbe().orElseThrow();
    }

    private void back(String server, Instant since) {
        List<ObjectKey> waiting = new ArrayList<>();
        for (ActualVolume each : volumesOf(server)) {
            if (edits.advanced(each).isPresent()) {
                waiting.add(each.key());
            }
            prober.request(each);
        }
        Duration silent = Duration.between(since, parts.clock().instant());
        teller.node(
                node,
                Notice.Type.NORMAL,
                "NFSServerReachable",
                "NFS server " + server + " answers again, after " + silent.toSeconds() + " s"
                        + (waiting.isEmpty() ? "" : "; volumes that waited for it are tried now: " + waiting.size()));
        waiting.forEach(key -> writer.write(
                key, newest -> newest.get(key).map(ActualVolume::of).flatMap(edits::advanced), () -> {}));
    }

    private void knockLater(ServerHealth now) {
        Duration wait = Duration.between(
                parts.clock().instant(), now.nextProbe().orElse(parts.clock().instant()));
        // Rounded up: before its time nobody may ask.
        long millis = Math.max(wait.toMillis() + 1, SHORTEST.toMillis());
        stopKnocking(now.server());
        knocks.put(now.server(), turn.schedule(() -> knock(now.server()), millis, TimeUnit.MILLISECONDS));
    }

    private void stopKnocking(String server) {
        Disposable before = knocks.remove(server);
        if (before != null) {
            before.dispose();
        }
    }

    private void knock(String server) {
        knocks.remove(server);
        World world = parts.world().world();
        Optional<VolumeSpec> volume = volumes.of(server).stream()
                .flatMap(each -> world.get(each).stream())
                .findFirst()
                .map(each -> spec(world, ActualVolume.of(each)));
        if (volume.isEmpty()) {
            // Nobody here needs it any more; the next volume finds out by itself.
            down.remove(server);
            return;
        }
        try {
            parts.threads().execute(() -> knock(server, volume.get()));
        } catch (RejectedExecutionException e) {
            LOG.debug("Not asking {}: the process is ending", server);
        }
    }

    private void knock(String server, VolumeSpec volume) {
        try {
            knocker.knock(volume);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        // If nothing has come of it, nobody is told, and nobody else would knock again.
        turn.schedule(() -> {
            ServerHealth now = servers.health(server);
            if (now.state() == State.OPEN && !knocks.containsKey(server)) {
                knockLater(now);
            }
        });
    }

    /** The mount options may say at which door to knock. */
    private static VolumeSpec spec(World world, ActualVolume volume) {
        List<String> options = new ArrayList<>();
        if (!volume.persistentVolume().isEmpty()) {
            world.get(Volume.key(volume.persistentVolume()))
                    .map(Volume::of)
                    .ifPresent(pv -> pv.spec().path("mountOptions").forEach(each -> options.add(each.asText(""))));
        }
        return new VolumeSpec(
                volume.volume(), volume.persistentVolume(), volume.source(), VolumeMode.FILESYSTEM, options, 0);
    }

    @Override
    public void close() {
        turn.dispose();
        writer.close();
    }
}
