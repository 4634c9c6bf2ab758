package dev.mooring.server;

import dev.mooring.chaos.Faults;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.volumemanager.DirectoryCleaner;
import dev.mooring.node.volumemanager.MachineScanner;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.NodeWarnings;
import dev.mooring.node.volumemanager.OperationExecutor;
import dev.mooring.node.volumemanager.OperationObserver;
import dev.mooring.node.volumemanager.OrphanScanner;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.StartupRecovery;
import dev.mooring.node.volumemanager.VolumeDirectoryPermissionCheck;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodTokens;
import dev.mooring.volume.RemotePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.hostpath.HostPathPlugin;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.volume.work.PodDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Volume components of this node. */
final class NodeVolumeManager implements AutoCloseable {
    /** Deadline of a single program such as mount.nfs; a whole operation has its own deadline. */
    private static final Duration PROGRAM_DEADLINE = Duration.ofSeconds(31);

    /** Concurrent operations per worker pool of local volumes. */
    private static final int LOCAL = 8;

    private static final int PER_SERVER = 4;

    private final NodeContext nodeContext;
    private final VolumeMonitor.MonitorContext monitorContext;
    private final OperationExecutor executor;
    private final StartupRecovery startupRecovery;
    private final DirectoryCleaner cleaner;
    private final SubPaths subPaths;
    private final Optional<ChaosVolumeFaults> chaos;

    /**
     * Special paths of the machine.
     *
     * @param bases directories that may hold volume data
     * @param guarded paths that no Pod may use
     */
    record NodePaths(List<Path> bases, ProtectedHostPaths guarded) {}

    /**
     * Settings of volume operations.
     *
     * @param deadline of each operation
     * @param faults injected faults; empty unless enabled
     */
    record OperationSettings(Duration deadline, OperationObserver observer, Optional<Faults> faults) {}

    /**
     * Creates the components.
     *
     * @param containers containers that may still use a volume
     */
    NodeVolumeManager(
            String node,
            NodeLayout layout,
            OperationSettings handling,
            WorkContext work,
            NodePaths places,
            PodStateProvider containers,
            PodTokens tokens) {
        WorldPort world = work.world();
        CommandRunner commands = new ChildProcess();
        SystemCalls calls = SystemCalls.real();
        Mounter mounter = new LinuxMounter(layout, calls, commands);
        PluginContext pluginContext = new PluginContext(
                layout,
                mounter,
                commands,
                calls,
                key -> world.world().get(key).map(StoredObject::toTree),
                work.clock(),
                PROGRAM_DEADLINE,
                tokens);
        VolumePlugins real =
                HostPathPlugin.withGuardedPaths(places.guarded(), VolumePlugins.load(pluginContext), pluginContext);
        this.chaos = handling.faults()
                .map(faults -> new ChaosVolumeFaults(
                        faults,
                        real.remote().stream().map(RemotePlugin::servers).toList(),
                        PROGRAM_DEADLINE));
        VolumePlugins plugins =
                chaos.map(mounts -> ChaosPlugin.around(real, mounts)).orElse(real);
        this.monitorContext = new VolumeMonitor.MonitorContext(mounter, calls, commands, real.remote(), chaos);
        this.subPaths = new SubPaths(layout, mounter, calls, commands, PROGRAM_DEADLINE);
        this.nodeContext = new NodeContext(node, layout, plugins, containers, subPaths::clean);
        this.executor = new OperationExecutor(
                nodeContext, handling.observer(), new WorkLimits(LOCAL, PER_SERVER, handling.deadline()), work);
        NodeWarnings warnings = new NodeWarnings(node, world, work.clock());
        this.cleaner = new DirectoryCleaner(
                node, new PodDirectory(layout, mounter, calls), world, containers, warnings, work.threads());
        OrphanScanner orphanScanner = new OrphanScanner(node, places.bases(), world, warnings);
        VolumeDirectoryPermissionCheck reachable = new VolumeDirectoryPermissionCheck(places.bases(), warnings);
        this.startupRecovery = new StartupRecovery(
                nodeContext, () -> new MachineScanner(layout, mounter), world, work.clock(), machine -> {
                    orphanScanner.report(machine);
                    reachable.report(machine);
                });
    }

    /** Returns the injected faults for volumes, if enabled. */
    Optional<ChaosVolumeFaults> chaos() {
        return chaos;
    }

    NodeContext nodeContext() {
        return nodeContext;
    }

    VolumeMonitor.MonitorContext monitorContext() {
        return monitorContext;
    }

    /** Returns the subPath mounts. */
    SubPaths subPaths() {
        return subPaths;
    }

    OperationExecutor executor() {
        return executor;
    }

    /** Returns the startup recovery, which must finish before volumes are mounted or unmounted. */
    StartupRecovery startupRecovery() {
        return startupRecovery;
    }

    /** Returns the cleaner of directories of Pods that are gone. */
    DirectoryCleaner cleaner() {
        return cleaner;
    }

    /** Interrupts running operations; the next process recovers their state. */
    @Override
    public void close() {
        executor.close();
    }
}
