package dev.mooring.node.monitor;

import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.ServerHealth.State;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.VolumeSpec;
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
 * Handles servers of one remote plugin that become unresponsive or recover. Records Node Events for both; marks the volumes of an
 * unresponsive server at once; probes the server even if no volume is due; and after recovery retries and probes
 * everything that waited for it. Acts on notifications only, in their order. Thread-safe; never blocks.
 */
public final class RemoteServerMonitor implements ServerListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteServerMonitor.class);

    /** Minimum interval between two probes of a server. */
    private static final Duration MIN_PROBE_INTERVAL = Duration.ofSeconds(5);

    private final String node;
    private final String plugin;
    private final String kind;
    private final ServerProber serverProber;
    private final MountProber prober;
    private final RemoteServers servers;
    private final WorkContext context;
    private final MountHealthUpdates edits;
    private final MountHealthEventRecorder recorder;
    private final DurableWriter writer;
    private final Scheduler.Worker worker;

    /** Unresponsive servers, and since when. Accessed in {@link #worker} only. */
    private final Map<String, Instant> down = new HashMap<>();

    private final Map<String, Disposable> probeTimers = new HashMap<>();

    /** Probes a server. The result arrives through {@link RemoteServers}. Blocks for a few seconds. */
    @FunctionalInterface
    public interface ServerProber {
        void probe(VolumeSpec volume) throws InterruptedException;
    }

    /** Creates a monitor that must be registered as a listener of {@code servers}. */
    public RemoteServerMonitor(
            String node,
            String plugin,
            RemoteServers servers,
            ServerProber serverProber,
            MountProber prober,
            WorkContext context) {
        this.node = node;
        this.plugin = plugin;
        this.kind = SourceTypes.ofPlugin(plugin).flatMap(SourceType::serverKind).orElseThrow();
        this.servers = servers;
        this.serverProber = serverProber;
        this.prober = prober;
        this.context = context;
        String actor = "node/" + node;
        this.edits = new MountHealthUpdates(actor);
        this.recorder = new MountHealthEventRecorder(actor, context);
        this.writer = new DurableWriter(context.world(), context.timers());
        this.worker = context.timers().createWorker();
    }

    @Override
    public void onChange(ServerHealth now) {
        worker.schedule(() -> handleChange(now));
    }

    /** Returns the servers of this node's volumes, and whether they respond. */
    public Map<String, Boolean> up() {
        Map<String, Boolean> up = new LinkedHashMap<>();
        volumes()
                .servers(plugin)
                .forEach(each -> up.put(each, servers.health(each).state() == State.CLOSED));
        return up;
    }

    private void handleChange(ServerHealth now) {
        switch (now.state()) {
            case OPEN -> {
                if (down.putIfAbsent(
                                now.server(), now.since().orElse(context.clock().instant()))
                        == null) {
                    recorder.recordForNode(
                            node,
                            KubeEvent.Type.WARNING,
                            EventReasons.serverUnreachable(kind),
                            unreachableMessage(now));
                    volumes().of(plugin, now.server()).forEach(prober::request);
                }
                scheduleProbe(now);
            }
            case CLOSED -> {
                cancelProbe(now.server());
                Instant since = down.remove(now.server());
                if (since != null) {
                    onRecovered(now.server(), since);
                }
            }
            case HALF_OPEN -> {
                // A probe is in progress; its result is notified next.
            }
        }
    }

    private RemoteVolumes volumes() {
        return new RemoteVolumes(node, context.world().world());
    }

    private String unreachableMessage(ServerHealth now) {
        return kind + " server " + now.server() + " has not answered since "
                + now.since().orElseThrow() + " ("
                + now.failures() + " times; the last time: " + now.lastError()
                + "). Operations on its volumes wait; next probe at "
                + now.nextProbe().orElseThrow();
    }

    private void onRecovered(String server, Instant since) {
        List<ObjectKey> waiting = new ArrayList<>();
        for (ActualVolume each : volumes().of(plugin, server)) {
            if (edits.retryNow(each).isPresent()) {
                waiting.add(each.key());
            }
            prober.request(each);
        }
        Duration silent = Duration.between(since, context.clock().instant());
        recorder.recordForNode(
                node,
                KubeEvent.Type.NORMAL,
                EventReasons.serverReachable(kind),
                kind + " server " + server + " answers again, after " + silent.toSeconds() + " s"
                        + (waiting.isEmpty() ? "" : "; retrying volumes that waited for it: " + waiting.size()));
        waiting.forEach(key -> writer.write(
                key, newest -> newest.get(key).map(ActualVolume::of).flatMap(edits::retryNow), () -> {}));
    }

    private void scheduleProbe(ServerHealth now) {
        Duration wait = Duration.between(
                context.clock().instant(),
                now.nextProbe().orElse(context.clock().instant()));
        // Rounded up: a probe before that time is not allowed.
        long millis = Math.max(wait.toMillis() + 1, MIN_PROBE_INTERVAL.toMillis());
        cancelProbe(now.server());
        probeTimers.put(now.server(), worker.schedule(() -> probe(now.server()), millis, TimeUnit.MILLISECONDS));
    }

    private void cancelProbe(String server) {
        Disposable before = probeTimers.remove(server);
        if (before != null) {
            before.dispose();
        }
    }

    private void probe(String server) {
        probeTimers.remove(server);
        RemoteVolumes volumes = volumes();
        Optional<VolumeSpec> volume =
                volumes.of(plugin, server).stream().findFirst().map(each -> spec(volumes.world(), each));
        if (volume.isEmpty()) {
            // No volume of this node uses the server any more; the next volume probes it.
            down.remove(server);
            return;
        }
        try {
            context.threads().execute(() -> probe(server, volume.get()));
        } catch (RejectedExecutionException e) {
            LOG.debug("Executor is shut down; ignoring probe of {}", server);
        }
    }

    private void probe(String server, VolumeSpec volume) {
        try {
            serverProber.probe(volume);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        // If the probe had no result, there is no notification, so schedule the next probe here.
        worker.schedule(() -> {
            ServerHealth now = servers.health(server);
            if (now.state() == State.OPEN && !probeTimers.containsKey(server)) {
                scheduleProbe(now);
            }
        });
    }

    /** Returns the volume's spec; its mount options may contain the port to probe. */
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
        worker.dispose();
        writer.close();
    }
}
