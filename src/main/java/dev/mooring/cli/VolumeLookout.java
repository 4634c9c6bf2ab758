package dev.mooring.cli;

import dev.mooring.control.Controller;
import dev.mooring.node.health.HealthWatch;
import dev.mooring.node.health.Prober;
import dev.mooring.node.health.ServerVolumes;
import dev.mooring.node.health.ServerWatch;
import dev.mooring.node.reconcile.NodeParts;
import dev.mooring.node.usage.UsageBook;
import dev.mooring.node.usage.UsageRounds;
import dev.mooring.node.usage.UsageWatch;
import dev.mooring.node.usage.VolumeMetrics;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.nfs.NfsProbe;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerHealth;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.usage.DirectorySize;
import dev.mooring.volume.usage.Measured;
import dev.mooring.volume.usage.SpaceMeter;
import dev.mooring.volume.usage.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntSupplier;

/** How this machine keeps an eye on what it has mounted: how full it is, and whether it is alive. */
final class VolumeLookout implements AutoCloseable {
    private final String node;
    private final ServerVolumes volumes = new ServerVolumes();
    private final Prober prober;
    private final ServerWatch servers;
    private final UsageRounds rounds;
    private final VolumeMetrics metrics;

    /**
     * What the machine is looked at with.
     *
     * @param chaos faults that can be had on demand
     */
    record Eyes(
            Mounter mounter, SystemCalls calls, CommandRunner commands, NfsPlugin nfs, Optional<ChaosMounts> chaos) {
        private boolean isHung(String server) {
            return chaos.filter(mounts -> mounts.isHung(server)).isPresent();
        }

        /** A server that hangs on purpose is not asked, and so stays given up. */
        private void knock(VolumeSpec volume) throws InterruptedException {
            if (!isHung(volume.source().path("nfs").path("server").asText(""))) {
                nfs.knock(volume);
            }
        }

        /** The server of what is mounted there, if it hangs on purpose. */
        private Optional<String> hungAt(Path target) {
            if (chaos.isEmpty()) {
                return Optional.empty();
            }
            try {
                return mounter.table()
                        .at(target)
                        .map(mount -> mount.source().split(":/", 2)[0])
                        .filter(this::isHung);
            } catch (VolumeException e) {
                return Optional.empty();
            }
        }
    }

    /** @param underWay how many operations on volumes are */
    VolumeLookout(NodeParts parts, Eyes eyes, UsageBook book, IntSupplier underWay, WorkParts work) {
        this.node = parts.name();
        NfsServers all = eyes.nfs().servers();
        this.prober = new Prober(node, all, look(eyes), parts.containers(), work);
        this.servers = new ServerWatch(node, all, eyes::knock, volumes, prober, work);
        all.listen(servers);
        this.rounds = new UsageRounds(
                node, book, meter(eyes, work), server -> all.health(server).state() == ServerHealth.State.CLOSED, work);
        this.metrics = new VolumeMetrics(book, work.clock(), underWay, servers::up);
    }

    private static Prober.Look look(Eyes eyes) {
        NfsProbe probe = new NfsProbe(eyes.commands());
        return new Prober.Look() {
            @Override
            public Health probe(Path target) throws InterruptedException {
                Optional<String> hung = eyes.hungAt(target);
                return hung.isPresent() ? eyes.chaos().orElseThrow().unreachable(hung.get()) : probe.probe(target);
            }

            @Override
            public MountTable table() throws VolumeException {
                return eyes.mounter().table();
            }
        };
    }

    private static UsageRounds.Meter meter(Eyes eyes, WorkParts work) {
        SpaceMeter space = new SpaceMeter(eyes.mounter(), eyes.calls(), eyes.commands(), work.clock());
        DirectorySize sum = new DirectorySize(eyes.commands());
        return new UsageRounds.Meter() {
            @Override
            public Optional<Measured> atOnce(Path path) throws UsageException {
                return space.atOnce(path);
            }

            @Override
            public Measured patiently(Path path) throws UsageException, InterruptedException {
                return space.patiently(path);
            }

            @Override
            public Measured export(Path path) throws UsageException, InterruptedException {
                return space.export(path);
            }

            @Override
            public long sum(Path directory) throws UsageException, InterruptedException {
                return sum.of(directory);
            }
        };
    }

    Controller health() {
        return new HealthWatch(node, prober, volumes);
    }

    Controller usage() {
        return new UsageWatch(node, rounds, metrics);
    }

    VolumeMetrics metrics() {
        return metrics;
    }

    @Override
    public void close() {
        servers.close();
        prober.close();
    }
}
