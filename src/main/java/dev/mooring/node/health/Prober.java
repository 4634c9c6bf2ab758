package dev.mooring.node.health;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.desired.PodVolumes;
import dev.mooring.node.health.HealthEdits.Use;
import dev.mooring.node.usage.LaneRunner;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.Lane;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerHealth;
import dev.mooring.volume.path.MountTable;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Looks whether mounts of NFS are alive, one of each server at a time, and has what it finds written down and told when it is another thing
 * than before. A server that is known not to answer is not asked: its mounts are what it is. Outlives the verticle that asks. Thread-safe;
 * asking never blocks.
 */
public final class Prober implements AutoCloseable {
    private final NfsServers servers;
    private final Look look;
    private final Containers containers;
    private final WorkParts parts;
    private final HealthEdits edits;
    private final HealthTeller teller;
    private final DurableWriter writer;
    private final LaneRunner lanes;

    /** Mounts that somebody was told are not well. One may be well again because it was mounted anew, which is told too. */
    private final Set<MountId> told = ConcurrentHashMap.newKeySet();

    /** How the machine is looked at. As a port, so that a test can play it. */
    public interface Look {
        /** Blocks for at most some seconds. */
        Health probe(Path target) throws InterruptedException;

        MountTable table() throws VolumeException;
    }

    /** @param containers what may run beyond what Pods say */
    public Prober(String node, NfsServers servers, Look look, Containers containers, WorkParts parts) {
        this.servers = servers;
        this.look = look;
        this.containers = containers;
        this.parts = parts;
        String actor = "node/" + node;
        this.edits = new HealthEdits(actor);
        this.teller = new HealthTeller(actor, parts);
        this.writer = new DurableWriter(parts.world(), parts.timers());
        this.lanes = new LaneRunner(parts.threads());
    }

    /** Has all that is mounted of a volume looked at. */
    void request(ActualVolume volume) {
        String server = server(volume);
        for (Mount each : volume.mounts()) {
            if (each.isMounted() && each.path().startsWith("/")) {
                MountId id = new MountId(volume.key(), each.pod().uid());
                lanes.offer(Lane.nfs(server), id, () -> probe(id, server, Path.of(each.path())));
            }
        }
    }

    /** Under which the servers know it; "" if it is not of NFS. */
    static String server(ActualVolume volume) {
        return NfsServers.key(volume.source().path("nfs").path("server").asText(""));
    }

    void forget(ObjectKey volume) {
        told.removeIf(each -> each.volume().equals(volume));
    }

    private void probe(MountId id, String server, Path target) throws InterruptedException {
        ServerHealth known = servers.health(server);
        if (known.state() != ServerHealth.State.CLOSED) {
            unhealthy(id, Finding.of(known));
            return;
        }
        Health health = look.probe(target);
        servers.observed(server, health);
        if (health.isFine()) {
            healthy(id);
        } else {
            unhealthy(id, Finding.of(health, health.state() != Health.State.FAILED || isThere(target)));
        }
    }

    private boolean isThere(Path target) {
        try {
            return look.table().isMountPoint(target);
        } catch (VolumeException e) {
            // Who does not know leaves it alone.
            return true;
        }
    }

    private void unhealthy(MountId id, Finding finding) {
        write(
                id,
                (world, volume) -> edits.unhealthy(
                        volume,
                        id.podUid(),
                        finding,
                        use(world, volume, id.podUid()),
                        parts.clock().instant()),
                volume -> {
                    told.add(id);
                    volume.mountFor(id.podUid())
                            .filter(mount -> !isSaid(mount, finding))
                            .ifPresent(mount -> teller.abnormal(volume, mount, finding.message()));
                });
    }

    private static boolean isSaid(Mount mount, Finding finding) {
        return mount.json().path("health").path("reason").asText("").equals(finding.reason());
    }

    private void healthy(MountId id) {
        Optional<ActualVolume> now = parts.world().world().get(id.volume()).map(ActualVolume::of);
        Optional<Mount> mount = now.flatMap(volume -> volume.mountFor(id.podUid()));
        if (mount.isEmpty()) {
            return;
        }
        if (mount.get().json().path("health").isObject()) {
            write(id, (world, volume) -> edits.healthy(volume, id.podUid()), volume -> {
                told.remove(id);
                volume.mountFor(id.podUid()).ifPresent(each -> teller.normal(volume, each));
            });
        } else if (told.remove(id)) {
            teller.normal(now.get(), mount.get());
        }
    }

    private interface Decide {
        Optional<Proposal> of(World world, ActualVolume volume);
    }

    private interface Written {
        /** @param before the volume as it was decided upon */
        void tell(ActualVolume before);
    }

    private void write(MountId id, Decide decide, Written written) {
        AtomicReference<ActualVolume> before = new AtomicReference<>();
        writer.write(
                id.volume(),
                world -> {
                    before.set(null);
                    Optional<ActualVolume> volume = world.get(id.volume()).map(ActualVolume::of);
                    Optional<Proposal> proposal = volume.flatMap(each -> decide.of(world, each));
                    proposal.ifPresent(unused -> before.set(volume.get()));
                    return proposal;
                },
                () -> Optional.ofNullable(before.get()).ifPresent(written::tell));
    }

    private Use use(World world, ActualVolume volume, String podUid) {
        if (containers.mayRun(podUid)) {
            return Use.MAY_BE_USED;
        }
        PodOf pod = volume.mountFor(podUid).map(Mount::pod).orElseThrow();
        if (pod.namespace().isEmpty() || pod.name().isEmpty()) {
            return Use.MAY_BE_USED;
        }
        return world.get(Pod.key(pod.namespace(), pod.name()))
                        .map(Pod::of)
                        .filter(found -> found.uid().equals(podUid))
                        .filter(PodVolumes::isRunning)
                        .isPresent()
                ? Use.MAY_BE_USED
                : Use.UNUSED;
    }

    @Override
    public void close() {
        writer.close();
    }
}
