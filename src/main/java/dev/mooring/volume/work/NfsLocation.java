package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Location of an NFS volume: a server, a share, and the volume below the share (the share itself when emptying a static
 * volume). Immutable.
 */
record NfsLocation(String server, Path share, Path volume) {
    /** A name or address; it becomes an argument of mount, so it must not look like an option. */
    private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9_\\[][A-Za-z0-9._:%\\[\\]-]{0,253}");

    /** Returns the location for provisioning, or for removing an unfinished one. */
    static NfsLocation ofClass(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Path share = share(work, settings);
        OnDelete onDelete = DirectoryParameters.onDelete(work);
        String path = Marker.of(work.volume(), work.uid(), work.path(), onDelete)
                .path()
                .toString();
        return new NfsLocation(server(work.parameter("server").orElse(settings.server())), share, share.resolve(path));
    }

    /**
     * Returns the location of a PersistentVolume; its share is the one known to hold it, or else its parent directory.
     */
    static Optional<NfsLocation> ofSource(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Optional<String> server = work.fromSource("nfs", "server");
        Optional<String> path = work.fromSource("nfs", "path");
        if (server.isEmpty() || path.isEmpty()) {
            return Optional.empty();
        }
        Path volume = VolumeLocations.absolute(path.get(), "nfs.path");
        Path share = volume.getParent() == null ? volume : volume.getParent();
        List<Path> known = List.of(share(work, settings), settings.exportRoot());
        for (Path each : known) {
            if (each.getNameCount() > 0 && volume.startsWith(each) && !volume.equals(each)) {
                share = each;
                break;
            }
        }
        return Optional.of(new NfsLocation(server(server.get()), share, volume));
    }

    private static Path share(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Optional<String> share = work.parameter("share");
        return share.isEmpty() ? settings.exportRoot() : VolumeLocations.absolute(share.get(), "share");
    }

    private static String server(String text) throws VolumeWorkException {
        if (!SERVER.matcher(text).matches()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    text.isEmpty()
                            ? "No NFS server is configured: set the parameter server of the storage class, or"
                                    + " NFS_SERVER of this node"
                            : "NFS server must be a host name or an address, got \"" + text + "\"");
        }
        return text;
    }

    boolean isServedBy(NfsSettings settings) {
        return settings.role() == NfsSettings.NfsRole.SERVER
                && server.equals(settings.server())
                && share.startsWith(settings.exportRoot());
    }

    /** Returns the mount source, with brackets around an IPv6 address. */
    static String device(String server, Path directory) {
        boolean bare = server.indexOf(':') >= 0 && !server.startsWith("[");
        return (bare ? "[" + server + "]" : server) + ":" + directory;
    }
}
