package dev.mooring.node.reconcile;

import dev.mooring.node.desired.Containers;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumePlugins;

/**
 * What a node mounts with.
 *
 * @param name of the node
 * @param containers what may still use a volume
 * @param subPaths undone before a Pod's volume goes
 */
public record NodeParts(
        String name, NodeLayout layout, VolumePlugins plugins, Containers containers, BeforeUnmount subPaths) {}
