package dev.mooring.node.container;

import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.subpath.SubPaths;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What containers' specs are made with.
 *
 * @param objects ConfigMaps, Secrets, and the Node, whose capacity stands in for limits that containers do not have
 * @param machineDns as the machine has it now; asked only for Pods that add to it, see {@link ResolvConf}
 * @param recursiveReadOnly whether the engine can make everything below a mount read-only
 * @param mayFavour whether the engine can have processes ended later than others when memory runs out: that needs a right of the
 *     machine that not every machine gives, see {@link MachineRights}
 */
public record SpecParts(
        NodeLayout layout,
        Mounter mounter,
        SystemCalls calls,
        SubPaths subPaths,
        ObjectLookup objects,
        Supplier<Dns> machineDns,
        BooleanSupplier recursiveReadOnly,
        BooleanSupplier mayFavour) {}
