package dev.mooring.cli.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where this machine keeps the data of volumes that Mooring makes.
 *
 * @param root where Pods' volumes are mounted, in the kubelet's layout
 * @param base where, unless a class names another place
 * @param allowedBases the other places that classes may name
 * @param discovery directories whose sub-directories are offered as local volumes
 * @param deadline how long work on the data of one volume may take
 */
public record VolumeSettings(
        Path root, Path base, List<Path> allowedBases, List<DiscoverySettings> discovery, Duration deadline, Nfs nfs) {
    public VolumeSettings {
        allowedBases = List.copyOf(allowedBases);
        discovery = List.copyOf(discovery);
    }

    /**
     * Where NFS volumes are made, unless a class says so itself.
     *
     * @param share what the server exports
     * @param isServer whether this machine is that server, so that directories can be made without a mount
     */
    public record Nfs(String server, Path share, boolean isServer) {}
}
