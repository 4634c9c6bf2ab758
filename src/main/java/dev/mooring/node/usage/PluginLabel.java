package dev.mooring.node.usage;

import dev.mooring.model.view.StorageNames;

/** What a plugin is called in metrics: as the kubelet does, which tells the drivers of CSI apart. */
final class PluginLabel {
    private static final String CSI = "kubernetes.io/csi";

    private PluginLabel() {}

    static String of(String plugin) {
        // There is but one driver that is mounted here.
        return plugin.equals(CSI) ? CSI + ':' + StorageNames.BLOCK_DRIVER : plugin;
    }
}
