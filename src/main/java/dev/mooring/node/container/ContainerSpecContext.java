package dev.mooring.node.container;

import dev.mooring.host.SystemCalls;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.subpath.SubPaths;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The dependencies for building container specs.
 *
 * @param objects ConfigMaps, Secrets, and the Node, whose capacity replaces missing limits
 * @param machineDns reads the machine's current DNS settings; called only for Pods that extend them, see
 *     {@link ResolvConf}
 * @param recursiveReadOnly whether the engine supports recursive read-only mounts
 * @param mayLowerOomScore whether the engine can lower oom_score_adj, which needs a capability that not every
 *     machine grants, see {@link ProcessCapabilities}
 * @param pidsLimit maximum number of processes and threads of a container
 */
public record ContainerSpecContext(
        NodeLayout layout,
        Mounter mounter,
        SystemCalls calls,
        SubPaths subPaths,
        ObjectLookup objects,
        Supplier<Dns> machineDns,
        BooleanSupplier recursiveReadOnly,
        BooleanSupplier mayLowerOomScore,
        OptionalLong pidsLimit) {}
