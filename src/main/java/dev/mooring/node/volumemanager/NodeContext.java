package dev.mooring.node.volumemanager;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumePlugins;

/**
 * The dependencies for mounting volumes on a node.
 *
 * @param name of the node
 * @param containers tells which Pods may still use a volume
 * @param subPaths removed before a Pod's volume is unmounted
 */
public record NodeContext(
        String name, NodeLayout layout, VolumePlugins plugins, PodStateProvider containers, PreUnmountHook subPaths) {}
