package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an NFS volume is: a server, a share of it, and the volume below the share (the share itself for emptying a static one).
 * Immutable.
 */
record NfsPlace(String server, Path share, Path volume) {
    /** A name or an address; it becomes an argument of mount, so it must not look like an option. */
    private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9_\\[][A-Za-z0-9._:%\\[\\]-]{0,253}");

    /** For what a Provision makes, or may have made. */
    static NfsPlace ofClass(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Path share = share(work, settings);
        OnDelete onDelete = Parameters.onDelete(work);
        String path = Marker.of(work.volume(), work.uid(), work.path(), onDelete)
                .path()
                .toString();
        return new NfsPlace(server(work.parameter("server").orElse(settings.server())), share, share.resolve(path));
    }

    /** For what a PersistentVolume names; its share is the one that is known to hold it, or else its parent. */
    static Optional<NfsPlace> ofSource(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Optional<String> server = work.fromSource("nfs", "server");
        Optional<String> path = work.fromSource("nfs", "path");
        if (server.isEmpty() || path.isEmpty()) {
            return Optional.empty();
        }
        Path volume = Places.absolute(path.get(), "nfs.path");
        Path share = volume.getParent() == null ? volume : volume.getParent();
        List<Path> known = List.of(share(work, settings), settings.exportRoot());
        for (Path each : known) {
            if (each.getNameCount() > 0 && volume.startsWith(each) && !volume.equals(each)) {
                share = each;
                break;
            }
        }
        return Optional.of(new NfsPlace(server(server.get()), share, volume));
    }

    private static Path share(VolumeWork work, NfsSettings settings) throws VolumeWorkException {
        Optional<String> share = work.parameter("share");
        return share.isEmpty() ? settings.exportRoot() : Places.absolute(share.get(), "share");
    }

    private static String server(String text) throws VolumeWorkException {
        if (!SERVER.matcher(text).matches()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    text.isEmpty()
                            ? "Expected an NFS server, but neither the storage class (parameter server) nor this node"
                                    + " (NFS_SERVER) names one"
                            : "Expected the name or address of an NFS server, but found \"" + text + "\"");
        }
        return text;
    }

    boolean isServedBy(NfsSettings settings) {
        return settings.role() == NfsSettings.Role.SERVER
                && server.equals(settings.server())
                && share.startsWith(settings.exportRoot());
    }

    /** As mount wants it; an IPv6 address stands in brackets there. */
    static String device(String server, Path directory) {
        boolean bare = server.indexOf(':') >= 0 && !server.startsWith("[");
        return (bare ? "[" + server + "]" : server) + ":" + directory;
    }
}
