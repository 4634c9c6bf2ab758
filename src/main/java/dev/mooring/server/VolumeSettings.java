package dev.mooring.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Paths and limits of volumes on this machine.
 *
 * @param root where volumes of Pods are mounted, in the kubelet's layout
 * @param base directory of provisioned volumes, unless the class names another
 * @param allowedBases other base directories that classes may name
 * @param discovery directories whose subdirectories are published as local volumes
 * @param deadline of a job on the data of one volume
 */
public record VolumeSettings(
        Path root, Path base, List<Path> allowedBases, List<DiscoverySettings> discovery, Duration deadline, Nfs nfs) {
    public VolumeSettings {
        allowedBases = List.copyOf(allowedBases);
        discovery = List.copyOf(discovery);
    }

    /**
     * Default NFS server of provisioned volumes.
     *
     * @param share the exported directory
     * @param isServer whether this machine is that server, so that directories can be created without a mount
     */
    public record Nfs(String server, Path share, boolean isServer) {}
}
