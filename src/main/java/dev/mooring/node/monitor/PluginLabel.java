package dev.mooring.node.monitor;

import dev.mooring.model.view.StorageNames;

/** Returns the plugin names used in metrics: the kubelet's, which include the CSI driver. */
final class PluginLabel {
    private static final String CSI = "kubernetes.io/csi";

    private PluginLabel() {}

    static String of(String plugin) {
        // Only one CSI driver is mounted here.
        return plugin.equals(CSI) ? CSI + ':' + StorageNames.BLOCK_DRIVER : plugin;
    }
}
