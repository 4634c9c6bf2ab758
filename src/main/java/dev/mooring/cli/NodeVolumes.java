package dev.mooring.cli;

import dev.mooring.chaos.Faults;
import dev.mooring.control.StoredJson;
import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.node.WorldPort;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.orphan.Cleaner;
import dev.mooring.node.orphan.DirectoryCleaner;
import dev.mooring.node.orphan.NodeWarnings;
import dev.mooring.node.orphan.Strays;
import dev.mooring.node.reconcile.MachineLook;
import dev.mooring.node.reconcile.NodeParts;
import dev.mooring.node.reconcile.OperationExecutor;
import dev.mooring.node.reconcile.OperationObserver;
import dev.mooring.node.reconcile.RecoveryGate;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.host.HostPathPlugin;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.subpath.SubPaths;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What this machine mounts volumes with. */
final class NodeVolumes implements AutoCloseable {
    /** For a single program such as mount.nfs; the whole of an operation has a deadline of its own. */
    private static final Duration PROGRAM_DEADLINE = Duration.ofSeconds(31);

    /** Mounts of this machine's own at a time in each lane, and of each server. */
    private static final int LOCAL = 8;

    private static final int PER_SERVER = 4;

    private final NodeParts parts;
    private final VolumeLookout.Eyes eyes;
    private final OperationExecutor executor;
    private final RecoveryGate gate;
    private final Cleaner cleaner;
    private final SubPaths subPaths;
    private final Optional<ChaosMounts> chaos;

    /**
     * Paths of the machine that mean something.
     *
     * @param bases where data of volumes may be
     * @param guarded what no Pod may have
     */
    record Places(List<Path> bases, GuardedPlaces guarded) {}

    /**
     * How operations are carried out.
     *
     * @param deadline of each
     * @param faults that can be had on demand; nothing unless the configuration wants it
     */
    record Handling(Duration deadline, OperationObserver observer, Optional<Faults> faults) {}

    /** @param containers what may still use a volume */
    NodeVolumes(
            String node, NodeLayout layout, Handling handling, WorkParts work, Places places, Containers containers) {
        WorldPort world = work.world();
        CommandRunner commands = new ChildProcess();
        SystemCalls calls = SystemCalls.real();
        Mounter mounter = new LinuxMounter(layout, calls, commands);
        PluginParts pluginParts = new PluginParts(
                layout,
                mounter,
                commands,
                calls,
                key -> world.world().get(key).map(StoredJson::tree),
                work.clock(),
                PROGRAM_DEADLINE);
        VolumePlugins real = HostPathPlugin.guarding(places.guarded(), VolumePlugins.load(pluginParts), pluginParts);
        NfsPlugin nfs = (NfsPlugin) real.named(NfsPlugin.NAME).orElseThrow();
        this.chaos = handling.faults().map(faults -> new ChaosMounts(faults, nfs.servers(), PROGRAM_DEADLINE));
        VolumePlugins plugins =
                chaos.map(mounts -> ChaosPlugin.around(real, mounts)).orElse(real);
        this.eyes = new VolumeLookout.Eyes(mounter, calls, commands, nfs, chaos);
        this.subPaths = new SubPaths(layout, mounter, calls, commands, PROGRAM_DEADLINE);
        this.parts = new NodeParts(node, layout, plugins, containers, subPaths::clean);
        this.executor = new OperationExecutor(
                parts, handling.observer(), new WorkLimits(LOCAL, PER_SERVER, handling.deadline()), work);
        NodeWarnings warnings = new NodeWarnings(node, world, work.clock());
        this.cleaner =
                new DirectoryCleaner(node, new PodDirectory(layout, mounter, calls), world, warnings, work.threads());
        Strays strays = new Strays(node, places.bases(), world, warnings);
        this.gate =
                new RecoveryGate(parts, () -> new MachineLook(layout, mounter), world, work.clock(), strays::report);
    }

    /** What armed faults mean for volumes, if there can be any. */
    Optional<ChaosMounts> chaos() {
        return chaos;
    }

    NodeParts parts() {
        return parts;
    }

    VolumeLookout.Eyes eyes() {
        return eyes;
    }

    /** Parts of volumes for containers. */
    SubPaths subPaths() {
        return subPaths;
    }

    OperationExecutor executor() {
        return executor;
    }

    /** Before which nothing is mounted or unmounted. */
    RecoveryGate gate() {
        return gate;
    }

    /** What removes the directories of Pods that are gone. */
    Cleaner cleaner() {
        return cleaner;
    }

    /** What is being done is interrupted; the next process finds out how far it got. */
    @Override
    public void close() {
        executor.close();
    }
}
